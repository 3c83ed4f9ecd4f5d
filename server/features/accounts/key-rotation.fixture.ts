import { openApp } from '#server/app.ts';
import { loadSettings } from '#server/settings.ts';
import { rotateKeys } from './key-rotation.ts';

/** Process that rotates keys in tiny batches. The test kills it during one of them. */
const app = await openApp(loadSettings());
await rotateKeys(app, { batch: 5, settleMs: 0 });
await app.close();
