# The runtime is the one that development and tests use; docs/operations.md says how to run this.
FROM node:24-trixie-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN node build/build.ts && node build/sbom.ts > sbom.cdx.json && npm prune --omit=dev --ignore-scripts

FROM node:24-trixie-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 DATA_DIR=/data
WORKDIR /app
RUN groupadd --gid 10001 everkept && useradd --uid 10001 --gid 10001 --no-create-home everkept \
  && mkdir /data /backups && chown 10001:10001 /data /backups && chmod 700 /data /backups
COPY --from=build /app /app
USER 10001:10001
VOLUME /data
EXPOSE 3000
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((a) => process.exit(a.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "server/start.mjs"]
CMD ["serve"]
