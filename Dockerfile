# The command in an image of Debian. Build it in the repository, and give it folders for archives and tables:
#
#   docker build -t crawlprefs .
#   docker run --rm -v "$PWD/sample-data:/in:ro" -v "$PWD/out:/out" crawlprefs run /in -o /out

FROM rust:1.95-slim-bookworm AS build
RUN apt-get update && apt-get install -y --no-install-recommends g++ make && rm -rf /var/lib/apt/lists/*
WORKDIR /build
COPY . .
# `--version --verbose` shows it: docker build --build-arg "COMMIT=$(git rev-parse HEAD)"
ARG COMMIT
ENV CRAWLPREFS_COMMIT=$COMMIT
RUN cargo build --locked --release --bin crawlprefs

FROM debian:bookworm-slim
RUN apt-get update && apt-get install -y --no-install-recommends ca-certificates && rm -rf /var/lib/apt/lists/*
COPY --from=build /build/target/release/crawlprefs /usr/local/bin/crawlprefs
ENTRYPOINT ["crawlprefs"]
CMD ["--help"]
