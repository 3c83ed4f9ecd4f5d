import { createRequire } from 'node:module';

type Options = {
  address: string;
  port: number;
  silent: boolean;
  directory: string;
  configureBuckets: { name: string; configs: string[] }[];
};
type S3rver = { run(): Promise<{ port: number }>; close(): Promise<void> };

// The package has no types.
const require = createRequire(import.meta.url);
const Server = require('s3rver') as new (options: Options) => S3rver;

export const objectStoreKeys = { region: 'us-east-1', accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' };

/**
 * An object store in this process, with one bucket. It checks no signature, and takes a range that ends at byte 0 for
 * the whole.
 */
export async function startObjectStore({ directory, bucket }: { directory: string; bucket: string }) {
  const configureBuckets = [{ name: bucket, configs: [] }];
  const server = new Server({ address: '127.0.0.1', port: 0, silent: true, directory, configureBuckets });
  const { port } = await server.run();
  return { endpoint: `http://127.0.0.1:${port}`, close: () => server.close() };
}
