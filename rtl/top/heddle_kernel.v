/// The kernel as the IP packager and the Verilated library see it: plain Verilog, one AXI4-Lite
/// slave, one AXI4 master of 512 bits, synchronous reset, active low. All else is heddle_top.
///
/// Latency: none beside that of heddle_top. Throughput: that of heddle_top.
/// Rules: AXI4 and AXI4-Lite. Bursts are of whole beats of 64 bytes, with one ID, and stay inside
/// 4 KiB.
`default_nettype none
module heddle_kernel #(
  parameter C_S_AXI_CONTROL_ADDR_WIDTH = 12,
  parameter C_S_AXI_CONTROL_DATA_WIDTH = 32,
  parameter C_M_AXI_GMEM_ID_WIDTH      = 1,
  parameter C_M_AXI_GMEM_ADDR_WIDTH    = 64,
  parameter C_M_AXI_GMEM_DATA_WIDTH    = 512,
  parameter GROUPS                     = 1,  // pairs of engines: 1, 2 or 4
  parameter SUB_BITS                   = 2,  // 1 << SUB_BITS sub-cores of an SM: 1 or 2
`ifdef SYNTHESIS
  parameter TIME_BITS                  = 16, // that the SMs keep of a time, 16 to 32
  parameter MAX_SMS                    = 144,
`else
  parameter TIME_BITS                  = 32,
  parameter MAX_SMS                    = 256, // a power of two simulates fastest
`endif
  parameter NODE_BITS                  = 16, // log2 of a group's requests in the network or waiting
  parameter ROW_BITS                   = 15  // log2 of the L2 sets
) (
  input  wire                                    ap_clk,
  input  wire                                    ap_rst_n,
  output wire                                    interrupt,

  input  wire [C_S_AXI_CONTROL_ADDR_WIDTH-1:0]   s_axi_control_awaddr,
  input  wire                                    s_axi_control_awvalid,
  output wire                                    s_axi_control_awready,
  input  wire [C_S_AXI_CONTROL_DATA_WIDTH-1:0]   s_axi_control_wdata,
  input  wire [C_S_AXI_CONTROL_DATA_WIDTH/8-1:0] s_axi_control_wstrb,
  input  wire                                    s_axi_control_wvalid,
  output wire                                    s_axi_control_wready,
  output wire [1:0]                              s_axi_control_bresp,
  output wire                                    s_axi_control_bvalid,
  input  wire                                    s_axi_control_bready,
  input  wire [C_S_AXI_CONTROL_ADDR_WIDTH-1:0]   s_axi_control_araddr,
  input  wire                                    s_axi_control_arvalid,
  output wire                                    s_axi_control_arready,
  output wire [C_S_AXI_CONTROL_DATA_WIDTH-1:0]   s_axi_control_rdata,
  output wire [1:0]                              s_axi_control_rresp,
  output wire                                    s_axi_control_rvalid,
  input  wire                                    s_axi_control_rready,

  output wire [C_M_AXI_GMEM_ID_WIDTH-1:0]        m_axi_gmem_awid,
  output wire [C_M_AXI_GMEM_ADDR_WIDTH-1:0]      m_axi_gmem_awaddr,
  output wire [7:0]                              m_axi_gmem_awlen,
  output wire [2:0]                              m_axi_gmem_awsize,
  output wire [1:0]                              m_axi_gmem_awburst,
  output wire                                    m_axi_gmem_awvalid,
  input  wire                                    m_axi_gmem_awready,
  output wire [C_M_AXI_GMEM_DATA_WIDTH-1:0]      m_axi_gmem_wdata,
  output wire [C_M_AXI_GMEM_DATA_WIDTH/8-1:0]    m_axi_gmem_wstrb,
  output wire                                    m_axi_gmem_wlast,
  output wire                                    m_axi_gmem_wvalid,
  input  wire                                    m_axi_gmem_wready,
  input  wire [C_M_AXI_GMEM_ID_WIDTH-1:0]        m_axi_gmem_bid,
  input  wire [1:0]                              m_axi_gmem_bresp,
  input  wire                                    m_axi_gmem_bvalid,
  output wire                                    m_axi_gmem_bready,
  output wire [C_M_AXI_GMEM_ID_WIDTH-1:0]        m_axi_gmem_arid,
  output wire [C_M_AXI_GMEM_ADDR_WIDTH-1:0]      m_axi_gmem_araddr,
  output wire [7:0]                              m_axi_gmem_arlen,
  output wire [2:0]                              m_axi_gmem_arsize,
  output wire [1:0]                              m_axi_gmem_arburst,
  output wire                                    m_axi_gmem_arvalid,
  input  wire                                    m_axi_gmem_arready,
  input  wire [C_M_AXI_GMEM_ID_WIDTH-1:0]        m_axi_gmem_rid,
  input  wire [C_M_AXI_GMEM_DATA_WIDTH-1:0]      m_axi_gmem_rdata,
  input  wire [1:0]                              m_axi_gmem_rresp,
  input  wire                                    m_axi_gmem_rlast,
  input  wire                                    m_axi_gmem_rvalid,
  output wire                                    m_axi_gmem_rready
);
  localparam [2:0] BeatOf64Bytes = 3'd6;
  localparam [1:0] Increment     = 2'b01;

  assign m_axi_gmem_awid    = 0;
  assign m_axi_gmem_arid    = 0;
  assign m_axi_gmem_awsize  = BeatOf64Bytes;
  assign m_axi_gmem_arsize  = BeatOf64Bytes;
  assign m_axi_gmem_awburst = Increment;
  assign m_axi_gmem_arburst = Increment;
  assign m_axi_gmem_wstrb   = {C_M_AXI_GMEM_DATA_WIDTH/8{1'b1}};
  assign m_axi_gmem_bready  = 1'b1;

  heddle_top #(
    .SubBits(SUB_BITS), .TimeBits(TIME_BITS), .MaxSms(MAX_SMS), .Groups(GROUPS),
    .NodeBits(NODE_BITS), .RowBits(ROW_BITS)
  ) u_top (
    .clk_i(ap_clk), .rst_ni(ap_rst_n), .interrupt_o(interrupt),
    .s_awaddr_i(s_axi_control_awaddr), .s_awvalid_i(s_axi_control_awvalid),
    .s_awready_o(s_axi_control_awready), .s_wdata_i(s_axi_control_wdata),
    .s_wvalid_i(s_axi_control_wvalid), .s_wready_o(s_axi_control_wready),
    .s_bresp_o(s_axi_control_bresp), .s_bvalid_o(s_axi_control_bvalid),
    .s_bready_i(s_axi_control_bready), .s_araddr_i(s_axi_control_araddr),
    .s_arvalid_i(s_axi_control_arvalid), .s_arready_o(s_axi_control_arready),
    .s_rdata_o(s_axi_control_rdata), .s_rresp_o(s_axi_control_rresp),
    .s_rvalid_o(s_axi_control_rvalid), .s_rready_i(s_axi_control_rready),
    .m_awaddr_o(m_axi_gmem_awaddr), .m_awlen_o(m_axi_gmem_awlen),
    .m_awvalid_o(m_axi_gmem_awvalid), .m_awready_i(m_axi_gmem_awready),
    .m_wdata_o(m_axi_gmem_wdata), .m_wlast_o(m_axi_gmem_wlast),
    .m_wvalid_o(m_axi_gmem_wvalid), .m_wready_i(m_axi_gmem_wready),
    .m_berror_i(m_axi_gmem_bresp[1]), .m_bvalid_i(m_axi_gmem_bvalid),
    .m_araddr_o(m_axi_gmem_araddr),
    .m_arlen_o(m_axi_gmem_arlen), .m_arvalid_o(m_axi_gmem_arvalid),
    .m_arready_i(m_axi_gmem_arready), .m_rdata_i(m_axi_gmem_rdata),
    .m_rerror_i(m_axi_gmem_rresp[1]),
    .m_rvalid_i(m_axi_gmem_rvalid), .m_rready_o(m_axi_gmem_rready)
  );

  // the slave has one register per word; the master has one identifier and no exclusive accesses
  wire unused = &{1'b0, s_axi_control_wstrb, m_axi_gmem_bid, m_axi_gmem_bresp[0], m_axi_gmem_rid,
                  m_axi_gmem_rresp[0], m_axi_gmem_rlast};
endmodule
`default_nettype wire
