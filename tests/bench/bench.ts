/** The performance table. Ratios are measured in one run on one machine; single figures are for orientation. */
import { parseArgs } from 'node:util';
import { adminFigures } from './admin.ts';
import { apiFigures } from './api.ts';
import { exportFigures } from './export.ts';
import { type Figure, table } from './figure.ts';
import { importFigures } from './import.ts';
import { operatorFigures } from './operator.ts';
import { releaseFigures } from './release.ts';
import { sizeFigures } from './size.ts';
import { startFigures } from './start.ts';
import { sweepFigures } from './sweep.ts';
import { webhookFigures } from './webhook.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    'export-megabytes': { type: 'string', default: '500' },
    owners: { type: 'string', default: '1000000' },
    due: { type: 'string', default: '10000' },
    letters: { type: 'string', default: '10000' },
  },
});

const sections: Record<string, () => Promise<Figure[]>> = {
  size: sizeFigures,
  start: startFigures,
  api: apiFigures,
  admin: adminFigures,
  webhook: webhookFigures,
  sweep: () => sweepFigures({ owners: Number(values.owners), dueAtOnce: Number(values.due) }),
  release: () => releaseFigures({ letters: Number(values.letters) }),
  operator: operatorFigures,
  export: () => exportFigures({ totalBytes: Number(values['export-megabytes']) * 1e6 }),
  import: importFigures,
};

const figures: Figure[] = [];
for (const [name, measure] of Object.entries(sections)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  figures.push(...(await measure()));
}
console.log(table(figures));
