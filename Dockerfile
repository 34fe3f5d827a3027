# The first stage has the tools to build; the second holds what runs, and nothing else.
FROM node:24.21.0-bookworm-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS base

FROM base AS build
# sqlite3 is compiled where its binding cannot be fetched; Node's own headers are in the image, so nothing else is needed.
RUN apt-get update \
  && apt-get install -y --no-install-recommends g++ make python3 \
  && rm -rf /var/lib/apt/lists/*
ENV npm_package_config_node_gyp_nodedir=/usr/local
WORKDIR /app
COPY package.json package-lock.json ./
# Of all packages SQLite alone runs a script.
RUN npm ci --include=dev --ignore-scripts --no-audit --no-fund \
  && npm rebuild sqlite3 --ignore-scripts=false
# .dockerignore lets only the sources through.
COPY . .
# An optional peer of i18next keeps the compiler from being pruned: 31 MB that nothing runs.
RUN node bin/build.mjs \
  && npm prune --omit=dev --no-audit --no-fund \
  && rm -r node_modules/typescript node_modules/@typescript

FROM base
LABEL org.opencontainers.image.title="Tollgate" org.opencontainers.image.licenses="MIT"
# This allocator gives back what a load has left free; glibc's keeps most of it (ARCHITECTURE.md 15).
RUN apt-get update \
  && apt-get install -y --no-install-recommends libjemalloc2 \
  && rm -rf /var/lib/apt/lists/*
ENV NODE_ENV=production \
    TOLLGATE_LISTEN=0.0.0.0:3000 \
    TOLLGATE_DATA_DIR=/data \
    LD_PRELOAD=libjemalloc.so.2 \
    MALLOC_CONF=background_thread:true,dirty_decay_ms:2000,muzzy_decay_ms:0
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY config.example.yaml LICENSE ./
# Everything but the data folder may be read-only: docker run --read-only --tmpfs /tmp.
RUN install -d -m 700 -o node -g node /data && ln -s /app/dist/bin/tollgate.js /usr/local/bin/tollgate
USER node
VOLUME /data
EXPOSE 3000
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.TOLLGATE_LISTEN || ':3000').split(':').pop() + '/readyz').then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
# Node is process 1 and handles SIGTERM itself: streams end, settlements are written, then it leaves.
# The young generation has room for the calls under way, so that few of them are copied (ARCHITECTURE.md 15).
ENTRYPOINT ["node", "--max-semi-space-size=32", "/app/dist/bin/tollgate.js"]
CMD ["serve"]
