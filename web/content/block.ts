/**
 * Words as data. A block is a paragraph, a list, or terms with what they mean. `[words](/path)` in any of them is a link.
 */
export type Block =
  | string
  | { list: readonly string[] }
  | { facts: readonly (readonly [term: string, words: string])[] };

/** Words below a heading. The id is the part of the address after `#`. */
export type Section = { id: string; title: string; blocks: readonly Block[] };
