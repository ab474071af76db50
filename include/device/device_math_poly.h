// Polynomials of the math functions, in float and double: heddle_poly_NAME(x).
//
// Each is the Chebyshev interpolant of the function in its comment (evaluated with 50 digits),
// of the lowest degree that keeps the stated absolute error, rounded to the type.
#ifndef HEDDLE_DEVICE_DEVICE_MATH_POLY_H
#define HEDDLE_DEVICE_DEVICE_MATH_POLY_H

#include "device_math_parts.h"

// p x^n + ... + c: Horner's rule, fused, from the coefficient of the highest power down.
template <class T> HEDDLE_DEVICE T heddle_horner(T, T p) {
    return p;
}
template <class T, class... C> HEDDLE_DEVICE T heddle_horner(T x, T p, T c, C... rest) {
    return heddle_horner<T>(x, heddle_fma(p, x, c), rest...);
}
#define HEDDLE_POLY(type, name, ...)                  \
    HEDDLE_DEVICE type heddle_poly_##name(type x) {   \
        return heddle_horner<type>(x, __VA_ARGS__);   \
    }

// exp(r) = 1 + r + r^2 P(r); |r| <= ln 2 / 2; error 2^-29.4.
HEDDLE_POLY(float, exp,
            0x1.a12516p-13f, 0x1.6d434ep-10f, 0x1.1110e0p-7f, 0x1.5554e8p-5f, 0x1.555556p-3f,
            0x1.000000p-1f)
// exp(r) = 1 + r + r^2 P(r); |r| <= ln 2 / 2; error 2^-59.3.
HEDDLE_POLY(double, exp,
            0x1.1f7315649f2d7p-29, 0x1.af4e092e1705bp-26, 0x1.27e4db5bb725ap-22,
            0x1.71de02225a2f3p-19, 0x1.a01a01a6db488p-16, 0x1.a01a01abeccc3p-13,
            0x1.6c16c16c162cfp-10, 0x1.11111111100d3p-7, 0x1.5555555555556p-5,
            0x1.5555555555557p-3, 0x1.0000000000000p-1)
// log(1 + f) = f - f^2 / 2 + f^3 P(f); -0.293 <= f <= 0.4143; error 2^-25.0.
HEDDLE_POLY(float, log,
            0x1.1d9df2p-4f, -0x1.d64804p-4f, 0x1.dea5a6p-4f, -0x1.fcf2acp-4f, 0x1.23d1d8p-3f,
            -0x1.555b52p-3f, 0x1.999d5cp-3f, -0x1.fffffcp-3f, 0x1.555554p-2f)
// atanh(s) / s = 1 + z / 3 + z^2 P(z), z = s^2; s <= 0.1716; error 2^-23.6.
HEDDLE_POLY(float, atanh,
            0x1.d808a2p-4f, 0x1.247a2cp-3f, 0x1.9999a4p-3f)
// atanh(s) / s = 1 + z / 3 + z^2 P(z), z = s^2; s <= 0.1716; error 2^-52.7.
HEDDLE_POLY(double, atanh,
            0x1.087aabe253d9cp-4, 0x1.10188237ff7e4p-4, 0x1.3b18ba4163286p-4, 0x1.745d09ebc663ep-4,
            0x1.c71c71d7ef489p-4, 0x1.249249248e511p-3, 0x1.999999999999ep-3)
// the same, for powers; s <= 0.1716; error 2^-59.9.
HEDDLE_POLY(double, atanh_ext,
            0x1.e032e4d8436a1p-5, 0x1.df7c5bc7c7563p-5, 0x1.1118c9ee5b8a4p-4, 0x1.3b1395c881220p-4,
            0x1.745d177aad02ap-4, 0x1.c71c71c6ea871p-4, 0x1.2492492492522p-3, 0x1.999999999999ap-3)
// sin(r) = r + r z P(z), z = r^2; |r| <= pi / 4; error 2^-35.0.
HEDDLE_POLY(float, sin,
            0x1.6dbdf2p-19f, -0x1.a013a8p-13f, 0x1.11110ep-7f, -0x1.555556p-3f)
// sin(r) = r + r z P(z), z = r^2; |r| <= pi / 4; error 2^-66.2.
HEDDLE_POLY(double, sin,
            -0x1.ab17c21adf462p-41, 0x1.61217eed1c04ap-33, -0x1.ae6454129f078p-26,
            0x1.71de3a54607fap-19, -0x1.a01a01a019937p-13, 0x1.1111111111110p-7,
            -0x1.5555555555555p-3)
// cos(r) = 1 - z / 2 + z^2 P(z), z = r^2; |r| <= pi / 4; error 2^-28.9.
HEDDLE_POLY(float, cos,
            0x1.9bd886p-16f, -0x1.6c12d2p-10f, 0x1.555554p-5f)
// cos(r) = 1 - z / 2 + z^2 P(z), z = r^2; |r| <= pi / 4; error 2^-59.4.
HEDDLE_POLY(double, cos,
            -0x1.907d9316a965fp-37, 0x1.1eeb68d2958ddp-29, -0x1.27e4fa17c44e0p-22,
            0x1.a01a019f4e9f4p-16, -0x1.6c16c16c16967p-10, 0x1.5555555555555p-5)
// atan(x) = x + x z P(z), z = x^2; |x| <= 1; error 2^-28.6.
HEDDLE_POLY(float, atan,
            0x1.86406cp-10f, -0x1.2ba6b6p-7f, 0x1.aefb2cp-6f, -0x1.9115a4p-5f, 0x1.2006f8p-4f,
            -0x1.6dd8fep-4f, 0x1.c62cdap-4f, -0x1.248952p-3f, 0x1.999956p-3f, -0x1.555556p-2f)
// atan(x) = x + x z P(z), z = x^2; |x| <= 1; error 2^-57.5.
HEDDLE_POLY(double, atan,
            -0x1.8d087295ab9f4p-17, 0x1.1f0adb240a1fbp-13, -0x1.8a2f3ae537bb1p-11,
            0x1.57cc888719aa0p-9, -0x1.aef1a8e977bf8p-8, 0x1.a1fe88baf72d4p-7,
            -0x1.4b974a27ac39fp-6, 0x1.c3ac54a572735p-6, -0x1.147b2825d82f6p-5,
            0x1.3d3f26d5ea7ffp-5, -0x1.60ebd1489b946p-5, 0x1.854a7b99af61dp-5,
            -0x1.af00bd568a3d2p-5, 0x1.e1dc0d7679adcp-5, -0x1.1110bfea8ed5ep-4,
            0x1.3b13aaf4aba4ap-4, -0x1.745d16f26d0a3p-4, 0x1.c71c71c472843p-4,
            -0x1.249249248c7dap-3, 0x1.99999999998f9p-3, -0x1.5555555555555p-2)
// asin(x) = x + x z P(z), z = x^2; |x| <= 1/2; error 2^-27.8.
HEDDLE_POLY(float, asin,
            0x1.13fed4p-5f, 0x1.18f91ep-6f, 0x1.fd8da2p-6f, 0x1.6d5bbap-5f, 0x1.333430p-4f,
            0x1.555554p-3f)
// asin(x) = x + x z P(z), z = x^2; |x| <= 1/2; error 2^-55.9.
HEDDLE_POLY(double, asin,
            0x1.d72b2bc8155f8p-6, -0x1.e6aaa8a0a04ccp-7, 0x1.1d189408314eep-6,
            0x1.65a9c4dfcf8b2p-8, 0x1.52420b04b37bep-7, 0x1.782651caa6547p-7, 0x1.c9cf07674736ap-7,
            0x1.1c4d35cf95421p-6, 0x1.6e8bb1c8209a2p-6, 0x1.f1c71c1db0623p-6, 0x1.6db6db6e31f13p-5,
            0x1.3333333332ecap-4, 0x1.5555555555556p-3)
// sinh(x) = x + x z P(z), z = x^2; |x| <= 1; error 2^-32.2.
HEDDLE_POLY(float, sinh,
            0x1.78a70ep-19f, 0x1.a00900p-13f, 0x1.11111ep-7f, 0x1.555556p-3f)
// sinh(x) = x + x z P(z), z = x^2; |x| <= 1; error 2^-61.3.
HEDDLE_POLY(double, sinh,
            0x1.b41232cf9950fp-41, 0x1.611cb330c1fe8p-33, 0x1.ae6460fae3728p-26,
            0x1.71de3a4e14f40p-19, 0x1.a01a01a01ee70p-13, 0x1.11111111110fdp-7,
            0x1.5555555555555p-3)
// tanh(x) = x + x z P(z), z = x^2; |x| <= 0.55; error 2^-26.2.
HEDDLE_POLY(float, tanh,
            -0x1.b13538p-8f, 0x1.5d220ep-6f, -0x1.b9a044p-5f, 0x1.110feap-3f, -0x1.555554p-2f)
// tanh(x) = x + x z P(z), z = x^2; |x| <= 0.55; error 2^-56.8.
HEDDLE_POLY(double, tanh,
            -0x1.59a834187ce23p-16, 0x1.64fd88e9900a5p-14, -0x1.ec1091436eb2ap-13,
            0x1.34c5a8a996cd4p-11, -0x1.7d97cfd138c28p-10, 0x1.d6d339333f329p-9,
            -0x1.226e32f00cf0cp-7, 0x1.664f487713373p-6, -0x1.ba1ba1b9fec84p-5,
            0x1.1111111111032p-3, -0x1.5555555555555p-2)
// erf(x) = x + x P(z), z = x^2; |x| <= 1; error 2^-29.6.
HEDDLE_POLY(float, erf,
            0x1.4a5690p-14f, -0x1.a45088p-11f, 0x1.541270p-8f, -0x1.b7fabap-6f, 0x1.ce2d10p-4f,
            -0x1.81273ep-2f, 0x1.06eba8p-3f)
// erf(x) = x + x P(z), z = x^2; |x| <= 1; error 2^-62.7.
HEDDLE_POLY(double, erf,
            0x1.05ffd737fb32ep-34, -0x1.389d4f2641625p-30, 0x1.f7b4bf3b13964p-27,
            -0x1.5f1ecb6f0764cp-23, 0x1.b9df224ca4b97p-20, -0x1.f4d1e3183f7aep-17,
            0x1.f9a321d5b8e1ep-14, -0x1.c02db3dac435fp-11, 0x1.565bcd0dbaa38p-8,
            -0x1.b82ce31284e00p-6, 0x1.ce2f21a042b30p-4, -0x1.812746b0379e6p-2,
            0x1.06eba8214db69p-3)
// (1 + 2 x) exp(x^2) erfc(x), t = (x - 4) / (x + 4); x >= 0; error 2^-27.9.
HEDDLE_POLY(float, erfcx,
            0x1.e916e2p-14f, -0x1.04b5bap-12f, -0x1.779174p-11f, 0x1.4d1b64p-8f, -0x1.09c926p-6f,
            0x1.30400ep-5f, -0x1.0fa8fap-4f, 0x1.7ff5fap-4f, -0x1.9ddc12p-4f, 0x1.16ebf8p-4f,
            0x1.f7f624p-7f, -0x1.1df1a8p-3f, 0x1.3ba592p+0f)
// (1 + 2 x) exp(x^2) erfc(x), t = (x - 4) / (x + 4); x >= 0; error 2^-58.9.
HEDDLE_POLY(double, erfcx,
            -0x1.3ab58f87cfb03p-33, -0x1.24000f0a15ee9p-32, 0x1.f5d7df6dfda90p-30,
            0x1.b34e17ed4ff9fp-29, -0x1.fcc3a5268653fp-27, -0x1.611fc8f45b510p-26,
            0x1.d98825ca9deb5p-24, 0x1.4cb0ece36623dp-24, -0x1.baf5e74545cc2p-21,
            0x1.398374178fe8cp-22, 0x1.7f2545048fbf3p-18, -0x1.78862b6b1e3abp-17,
            -0x1.9958e21c32f5cp-16, 0x1.3be04c486a75ep-13, -0x1.a1df289a58f28p-13,
            -0x1.8d4a9b0690e08p-11, 0x1.49c6728a1a0f0p-8, -0x1.096238838fb04p-6,
            0x1.3079edf67777bp-5, -0x1.0fb06dfe52605p-4, 0x1.7fee004e1295bp-4,
            -0x1.9ddb23c3e89f3p-4, 0x1.16ecefcfa5383p-4, 0x1.f7f5df66fd6bap-7,
            -0x1.1df1ad154a28ep-3, 0x1.3ba5916e9fd7fp+0)
// gamma(2 + t) = 1 + t P(t); |t| <= 1/2; error 2^-27.4.
HEDDLE_POLY(float, gamma,
            -0x1.183cc8p-10f, 0x1.3b92a4p-9f, -0x1.721e0ep-9f, 0x1.6b92eep-7f, -0x1.1a14aap-12f,
            0x1.30240ep-4f, 0x1.4e23a4p-4f, 0x1.a5b974p-2f, 0x1.b0ee60p-2f)
// gamma(2 + t) = 1 + t P(t); |t| <= 1/2; error 2^-57.1.
HEDDLE_POLY(double, gamma,
            -0x1.5ae3f62f85615p-20, 0x1.5ad8ce0446282p-19, -0x1.e7980c18819f1p-19,
            0x1.e76e78065fb6fp-18, -0x1.0071ed3259fdbp-16, 0x1.004ee0e20080ap-15,
            -0x1.fde5e07a71c84p-15, 0x1.fe44649124e8dp-14, -0x1.f94ae4355fdd2p-13,
            0x1.011b0b937ea27p-11, -0x1.e21f1add8b646p-11, 0x1.13c448f58ed5ep-9,
            -0x1.75e6e907e19d8p-9, 0x1.6d7eeacb91973p-7, -0x1.17f3740f82317p-12,
            0x1.301fbb0f24e84p-4, 0x1.4e239984650a6p-4, 0x1.a5b978b96bec2p-2, 0x1.b0ee6072093cep-2)
// log gamma(2 + t) = t P(t); |t| <= 1/2; error 2^-29.8.
HEDDLE_POLY(float, lgamma,
            -0x1.06bbbcp-12f, 0x1.2af9d4p-11f, -0x1.374ac2p-10f, 0x1.7956cep-9f, -0x1.e40b30p-8f,
            0x1.513598p-6f, -0x1.13e000p-4f, 0x1.4a34ccp-2f, 0x1.b0ee60p-2f)
// log gamma(2 + t) = t P(t); |t| <= 1/2; error 2^-57.5.
HEDDLE_POLY(double, lgamma,
            0x1.2703c6effc4ebp-22, -0x1.37fd97eeee99dp-21, 0x1.f038cb2f6a913p-21,
            -0x1.08fccc794a9c7p-19, 0x1.2620de1c78d97p-18, -0x1.3d4ce65b1d70bp-17,
            0x1.5808af19fa483p-16, -0x1.78d8f868f383fp-15, 0x1.a127cd91ac95bp-14,
            -0x1.d3fd6a9087d23p-13, 0x1.0b36af5972ed1p-11, -0x1.38ac5bfce42c1p-10,
            0x1.7add6eadfcc7bp-9, -0x1.e404fc21d8fe7p-8, 0x1.51322ac7d8333p-6,
            -0x1.13e001a557555p-4, 0x1.4a34cc4a60fa6p-2, 0x1.b0ee6072093cep-2)
// x (log gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2), z = 1 / x^2; x >= 10; error 2^-35.6.
HEDDLE_POLY(float, stirling,
            0x1.9b728ap-11f, -0x1.6c15a2p-9f, 0x1.555556p-4f)
// x (log gamma(x) - (x - 1/2) log x + x - log(2 pi) / 2), z = 1 / x^2; x >= 10; error 2^-58.3.
HEDDLE_POLY(double, stirling,
            -0x1.c7d18c28d466bp-10, 0x1.b848a326a635cp-11, -0x1.3812220800ab3p-11,
            0x1.a01a00cc9b109p-11, -0x1.6c16c16c0b106p-9, 0x1.5555555555555p-4)
// erfinv(x) / x, w = -log(1 - x^2) - 3; w <= 6.25; error 2^-27.1.
HEDDLE_POLY(float, erfinv_a,
            0x1.e93256p-40f, 0x1.6d5608p-31f, -0x1.788c5ap-28f, -0x1.49ac66p-26f, 0x1.e11e6ep-22f,
            -0x1.daf35ap-20f, -0x1.aa53d4p-17f, 0x1.992b9ap-13f, -0x1.b6691ep-11f, -0x1.780e8ep-8f,
            0x1.eedbeep-3f, 0x1.9fa074p+0f)
// erfinv(x) / x, w = -log(1 - x^2) - 3; w <= 6.25; error 2^-58.6.
HEDDLE_POLY(double, erfinv_a,
            -0x1.5ee117b9c54d3p-76, -0x1.52867321a0870p-72, 0x1.8abdbf5356319p-68,
            0x1.751fc1cbc242fp-68, -0x1.e4165a71ce24dp-62, 0x1.f09e115a960b2p-60,
            0x1.e2ad5d2a31f66p-57, -0x1.6b90a61a9a64ep-53, 0x1.3a669e6d638cdp-52,
            0x1.c5bdeebf156fbp-48, -0x1.dcb4ed11a87abp-45, 0x1.cf5f5dcf8c9d5p-48,
            0x1.7bd8619073ea9p-39, -0x1.30dce8bbadb5ep-36, -0x1.146c269aad7f4p-35,
            0x1.3155949f5870ap-30, -0x1.77b3a06767cf4p-28, -0x1.96f822c919a2fp-26,
            0x1.e32b0d438e613p-22, -0x1.d539ca07fefdep-20, -0x1.aab13d1bfb57ep-17,
            0x1.9912c04a41356p-13, -0x1.b6666b152bab0p-11, -0x1.780def1d3f293p-8,
            0x1.eedbebdce73e7p-3, 0x1.9fa072ed72dbbp+0)
// erfinv(x) / x, w = sqrt(-log(1 - x^2)) - 3.25; w <= 4; error 2^-31.3.
HEDDLE_POLY(float, erfinv_b,
            -0x1.54c800p-15f, 0x1.56f6a2p-14f, 0x1.4c755ep-16f, -0x1.7b3ba8p-12f, 0x1.f46078p-11f,
            -0x1.ba2adcp-10f, 0x1.468b0ap-9f, -0x1.ebb2c6p-9f, 0x1.5ffd0cp-8f, 0x1.0158a6p+0f,
            0x1.8abcc4p+1f)
// erfinv(x) / x, w = sqrt(-log(1 - x^2)) - 3.25; w <= 4; error 2^-59.5.
HEDDLE_POLY(double, erfinv_b,
            -0x1.7facdbd9cf2cap-30, 0x1.0379bdbe6c77bp-27, -0x1.7f8060820aeedp-27,
            -0x1.61354a3021c9cp-26, 0x1.0f40c17f7c55ep-23, -0x1.080c96de2da93p-22,
            -0x1.99e1bd8dab1c4p-26, 0x1.8dc936b1b92c1p-20, -0x1.0b96226d4971cp-18,
            0x1.8996fcc6b057ap-19, 0x1.a245acb5f8e40p-17, -0x1.8cf455352bdadp-15,
            0x1.1e6aa64cc3983p-14, 0x1.932e8bad62636p-16, -0x1.7448bc38e4094p-12,
            0x1.f3cc54606a12ap-11, -0x1.ba9240da86dbdp-10, 0x1.468eeca93d192p-9,
            -0x1.ebadabb9fbcb0p-9, 0x1.5ffcfe5b6ce3cp-8, 0x1.0158a6d641d54p+0,
            0x1.8abcc380d5a48p+1)
// erfinv(x) / x, w = sqrt(-log(1 - x^2)) - 5; w <= 6.1; error 2^-29.7.
HEDDLE_POLY(float, erfinv_c,
            0x1.39a234p-22f, -0x1.498a34p-20f, 0x1.2ee0fap-18f, -0x1.46bf28p-16f, 0x1.3eab82p-14f,
            -0x1.c3156ap-13f, -0x1.22e6fcp-13f, 0x1.02a30ep+0f, 0x1.3664dep+2f)
// erfinv(x) / x, w = sqrt(-log(1 - x^2)) - 5; w <= 6.1; error 2^-60.4.
HEDDLE_POLY(double, erfinv_c,
            -0x1.fa44aa18f3258p-41, 0x1.9f624a4fc5aa5p-38, -0x1.17b95ad774785p-36,
            0x1.0109f630d20a1p-36, 0x1.07e0911c43977p-34, -0x1.a25cdfe4899abp-32,
            0x1.6cdc46e77e4f0p-30, -0x1.e5c70ca989fccp-29, 0x1.0c75bfa4b03bap-27,
            -0x1.055d3d799b06ep-26, 0x1.f299bac27d61dp-26, -0x1.223923057fb88p-24,
            0x1.ebe28cb0226fep-23, -0x1.0a9030c3640c1p-20, 0x1.2fbcfe40eec31p-18,
            -0x1.4a349049f61f1p-16, 0x1.3ebf4efa23bbep-14, -0x1.c2f36aa15087bp-13,
            -0x1.22ea5df1c7e26p-13, 0x1.02a30d1fba10bp+0, 0x1.3664ddd1ad7fbp+2)
#undef HEDDLE_POLY

#endif
