import type { HeicAnswer } from './heic.worker.ts';
import workerAddress from './heic.worker.ts?worker&url';

/**
 * A HEIC picture that this browser can't show by itself, upright, decoded in a worker of its own: the only place that may run
 * WebAssembly, and loaded only here. @throws Error where it is no picture.
 */
export async function heicBitmap(file: Blob): Promise<ImageBitmap> {
  const worker = new Worker(trusted(workerAddress), { type: 'module' });
  try {
    const { bitmap } = await new Promise<HeicAnswer>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<HeicAnswer>) => resolve(data);
      worker.onerror = () => reject(new Error('The decoder did not start.'));
      worker.postMessage(file);
    });
    if (!bitmap) throw new Error('This is no HEIC picture.');
    return bitmap;
  } finally {
    worker.terminate();
  }
}

/** The one address of a script that the pages hand to the browser as text (Trusted Types, section 3). */
function trusted(address: string): string {
  const policies = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes;
  if (!policies) return address;
  return policies.createPolicy('everkept-worker', { createScriptURL: (url) => url }).createScriptURL(address);
}

type TrustedTypes = {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
};
