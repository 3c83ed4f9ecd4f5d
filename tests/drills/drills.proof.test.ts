import { expect, test } from 'vitest';
import { table } from '#tests/bench/figure.ts';
import { missingParts } from './drill.ts';
import { drills } from './drills.ts';

for (const drill of drills.filter(({ takesMinutes }) => !takesMinutes)) {
  const missing = missingParts(drill).map((part) => part.package);
  const lack = missing.length > 0 ? ` (not run: it wants ${missing.join(' and ')} from Debian)` : '';
  test.skipIf(missing.length > 0)(`the drill ${drill.name} meets its goals: ${drill.shows}${lack}`, async () => {
    const figures = await drill.run();
    expect(
      figures.every(({ met }) => met !== false),
      `\n${table(figures)}`,
    ).toBe(true);
  });
}
