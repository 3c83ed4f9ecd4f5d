/** The performance table. Ratios are measured in one run on one machine; single figures are for orientation. */
import { parseArgs } from 'node:util';
import { adminFigures } from './admin.ts';
import { apiFigures } from './api.ts';
import { exportFigures } from './export.ts';
import { type Figure, table } from './figure.ts';
import { frozenFigures } from './frozen-letters.ts';
import { hostileFigures } from './hostile.ts';
import { importFigures } from './import.ts';
import { growthFigures } from './lists/growth.ts';
import { listFigures } from './lists/lists.ts';
import { operatorFigures } from './operator.ts';
import { releaseFigures } from './release.ts';
import { sizeFigures } from './size.ts';
import { startFigures } from './start.ts';
import { sweepFigures } from './sweep.ts';
import { webhookFigures } from './webhook.ts';

const { values, positionals: wanted } = parseArgs({
  allowPositionals: true,
  options: {
    'export-megabytes': { type: 'string' },
    owners: { type: 'string' },
    due: { type: 'string' },
    letters: { type: 'string' },
    rows: { type: 'string' },
    /** As `npm run prove` runs it: it shows that every section measures, and its figures mean nothing. */
    small: { type: 'boolean', default: false },
  },
});
const full = { owners: 1_000_000, due: 10_000, letters: 10_000, rows: 100_000, 'export-megabytes': 500 };
const small = { owners: 2_000, due: 200, letters: 200, rows: 5_000, 'export-megabytes': 20 };

function sizeOf(name: keyof typeof full): number {
  return Number(values[name] ?? (values.small ? small : full)[name]);
}

const sections: Record<string, () => Promise<Figure[]>> = {
  size: sizeFigures,
  start: startFigures,
  api: () => apiFigures({ isSmall: values.small }),
  admin: () => adminFigures({ isSmall: values.small }),
  webhook: () => webhookFigures({ isSmall: values.small }),
  sweep: () => sweepFigures({ owners: sizeOf('owners'), dueAtOnce: sizeOf('due') }),
  release: () => releaseFigures({ letters: sizeOf('letters'), isSmall: values.small }),
  lists: () => listFigures({ letters: sizeOf('letters'), isSmall: values.small }),
  growth: () => growthFigures({ rows: [10, sizeOf('letters') / 10, sizeOf('letters')], owners: sizeOf('owners') }),
  frozen: () => frozenFigures({ letters: sizeOf('letters') }),
  operator: () => operatorFigures({ rows: sizeOf('rows') }),
  export: () => exportFigures({ totalBytes: sizeOf('export-megabytes') * 1e6 }),
  import: importFigures,
  hostile: () => hostileFigures({ isSmall: values.small }),
};

const figures: Figure[] = [];
const failed: string[] = [];
for (const [name, measure] of Object.entries(sections)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  const startedMs = performance.now();
  console.error(`measuring ${name} …`);
  try {
    figures.push(...(await measure()));
    console.error(`  ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
  } catch (error) {
    // The other sections are measured all the same.
    failed.push(name);
    console.error(`  ${name} failed:`, error);
  }
}
console.log(table(figures));
if (failed.length > 0) {
  console.error(`Not measured: ${failed.join(', ')}.`);
  process.exitCode = 1;
}
