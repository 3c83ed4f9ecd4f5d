import type { Nation } from '#shared/uk-facts.ts';
import type { Block } from '#web/content/block.ts';
import type { Guide } from '#web/content/guidance/guide.ts';

/** Usual reading speed for such a text. */
const wordsPerMinute = 200;

/** Whole minutes to read a guide for one nation; at least one. */
export function readingMinutes({ intro, parts }: Guide, nation: Nation): number {
  const read = parts.filter(({ nations }) => nations?.includes(nation) ?? true);
  const words = [intro, ...read.flatMap(({ title, blocks }) => [title, ...blocks.flatMap(piecesOf)])].join(' ');
  return Math.max(1, Math.round((words.match(/\S+/g)?.length ?? 0) / wordsPerMinute));
}

function piecesOf(block: Block): string[] {
  if (typeof block === 'string') return [block];
  return 'list' in block ? [...block.list] : block.facts.flat();
}
