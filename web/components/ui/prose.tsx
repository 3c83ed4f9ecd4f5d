import type { ReactNode } from 'react';
import { Link } from 'wouter';
import type { Block, Section } from '#web/content/block.ts';

/** Paragraphs, lists and terms, from words that are data. */
export function Prose({ blocks }: { blocks: readonly Block[] }) {
  return (
    <div className="prose">
      {blocks.map((block) => (
        <BlockOf key={keyOf(block)} block={block} />
      ))}
    </div>
  );
}

/** Parts of a panel, each below a heading of the third order. */
export function SectionList({ sections }: { sections: readonly Section[] }) {
  return sections.map(({ id, title, blocks }) => (
    <section key={id} className="section">
      <h3>{title}</h3>
      <Prose blocks={blocks} />
    </section>
  ));
}

function BlockOf({ block }: { block: Block }) {
  if (typeof block === 'string') return <p>{withLinks(block)}</p>;
  if ('list' in block) {
    return (
      <ul>
        {block.list.map((words) => (
          <li key={words}>{withLinks(words)}</li>
        ))}
      </ul>
    );
  }
  return (
    <dl>
      {block.facts.map(([term, words]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{withLinks(words)}</dd>
        </div>
      ))}
    </dl>
  );
}

function keyOf(block: Block): string {
  if (typeof block === 'string') return block;
  return 'list' in block ? block.list.join() : block.facts.join();
}

const link = /\[([^[\]]+)\]\(([^()]+)\)/g;

/** A sentence with its links made links. */
export function withLinks(words: string): ReactNode {
  // A split by a pattern with two groups returns text, link text, address, text, and so on.
  const [before = '', text, href] = words.split(link);
  if (text === undefined || href === undefined) return before;
  return (
    <>
      {before}
      {href.startsWith('/') ? <Link href={href}>{text}</Link> : <a href={href}>{text}</a>}
      {withLinks(words.slice(before.length + text.length + href.length + '[]()'.length))}
    </>
  );
}

/** The words of blocks without their marks, for searching. */
export function plainWords(blocks: readonly Block[]): string {
  return blocks
    .flatMap((block) => {
      if (typeof block === 'string') return block;
      return 'list' in block ? block.list : block.facts.flat();
    })
    .join(' ')
    .replace(link, '$1');
}
