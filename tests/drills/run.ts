/** `npm run drill NAME`, with words for it: one drill, with its figures; without a name, which there are. It installs nothing. */
import { table } from '#tests/bench/figure.ts';
import { missingParts } from './drill.ts';
import { drills } from './drills.ts';

const [name, ...words] = process.argv.slice(2);
const drill = drills.find((one) => one.name === name);

if (!drill) {
  if (name !== undefined) console.error(`There is no drill “${name}”.`);
  for (const one of drills) {
    const missing = missingParts(one).map((part) => part.package);
    const lack = missing.length > 0 ? ` (wants: apt-get install ${missing.join(' ')})` : '';
    console.log(`  ${one.name.padEnd(18)} ${one.shows}${lack}`);
  }
  process.exitCode = name === undefined ? 0 : 2;
} else {
  const missing = missingParts(drill).map((part) => part.package);
  if (missing.length > 0) {
    console.error(`The drill “${drill.name}” wants what is not installed here: apt-get install ${missing.join(' ')}`);
    process.exitCode = 1;
  } else {
    const figures = await drill.run(words);
    console.log(table(figures));
    if (figures.some(({ met }) => met === false)) process.exitCode = 1;
  }
}
