/** Commands for one machine, as in docs/runbook.md. */
export type Block = {
  section: string /** Within its section, from 1. */;
  number: number;
  machine: string;
  script: string;
};

const blockForm = /^```sh(?: (\w+))?\n([\s\S]*?)^```$/gm;

/** Every block that names a machine, in their order. */
export function blocksOf(runbook: string): Block[] {
  const sections = runbook.split(/^## /m).slice(1);
  return sections.flatMap((text) => {
    const section = text.slice(0, text.indexOf('\n'));
    const found = [...text.matchAll(blockForm)].filter(([, machine]) => machine !== undefined);
    return found.map(([, machine = '', script = ''], index) => ({ section, number: index + 1, machine, script }));
  });
}

/** After which block something can be done: `Install/2`, and `Install/0` before the first of a section. */
export function namesOf(blocks: readonly Block[]): ReadonlySet<string> {
  return new Set(blocks.flatMap(({ section, number }) => [`${section}/0`, `${section}/${number}`]));
}

/** The names that everybody gives values of their own, and those that a sentence asks for: `$NAME` that no block sets. */
export function yoursOf(runbook: string): string[] {
  const all = [...runbook.matchAll(blockForm)].map(([, , script = '']) => script).join('\n');
  const used = [...all.matchAll(/\$(?:\{)?([A-Z][A-Z_]*)/g)].map(([, name = '']) => name);
  const isSetHere = (name: string) => new RegExp(`^(?!export )\\s*${name}=`, 'm').test(all);
  return [...new Set(used)].filter((name) => !isSetHere(name));
}
