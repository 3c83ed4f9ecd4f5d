/** The performance table. Ratios are measured in one run on one machine; single figures are for orientation. */
import { apiFigures } from './api.ts';
import { type Figure, table } from './figure.ts';
import { sizeFigures } from './size.ts';
import { startFigures } from './start.ts';
import { sweepFigures } from './sweep.ts';

const sections: Record<string, () => Promise<Figure[]>> = {
  size: sizeFigures,
  start: startFigures,
  api: apiFigures,
  sweep: sweepFigures,
};

const wanted = process.argv.slice(2);
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(sections)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  console.error(`measuring ${name} …`);
  figures.push(...(await measure()));
}
console.log(table(figures));
