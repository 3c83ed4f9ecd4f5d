import type { HeicAnswer } from './heic.worker.ts';
import workerAddress from './heic.worker.ts?worker&url';

/**
 * Decodes a HEIC picture that this browser can't show, upright. A worker of its own does that, loaded only here: no
 * other code may run WebAssembly.
 * @throws Error if the file is no picture.
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

/** Name of the page's only Trusted Types policy. The server's Content-Security-Policy lists it. */
const policyName = 'everkept-worker';

let policy: ScriptAddresses | undefined;

/** Marks the address of our worker as trusted. The browser allows each policy name once in a page, so the policy is kept. */
function trusted(address: string): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  if (!trustedTypes) return address;
  policy ??= trustedTypes.createPolicy(policyName, { createScriptURL: onlyOurWorker });
  return policy.createScriptURL(address);
}

function onlyOurWorker(address: string): string {
  if (address === workerAddress) return address;
  throw new TypeError('This script is not the picture decoder.');
}

type ScriptAddresses = { createScriptURL(url: string): string };
type TrustedTypes = { createPolicy(name: string, rules: ScriptAddresses): ScriptAddresses };
