# Debian 12 with Heddle built and vector_add run: the README's first command in a container.
#
#   docker build -t heddle .
#   docker run --rm heddle run -- build/apps/reduce          any program of the image
#   docker run --rm -v "$PWD:/mnt" heddle run -- /mnt/my   a program of yours
#   docker run --rm --entrypoint ./test.sh heddle            the tests
FROM debian:12
WORKDIR /heddle
COPY packages.txt ./
COPY tools/setup.sh tools/
# Packages first: they change less often than the source, so the layer is kept.
RUN bash -c '. tools/setup.sh && heddle_install run test' && rm -rf /var/lib/apt/lists/*
COPY . .
RUN ./run.sh
ENV PATH="/heddle/build/bin:${PATH}"
ENTRYPOINT ["heddle"]
CMD ["--help"]
