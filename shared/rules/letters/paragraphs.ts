/** A paragraph of a letter: its lines, and whether it reads like the name below one. */
export type Paragraph = { lines: string[]; isSignature: boolean };

const signatureLengthMax = 32;

/** Blank lines part paragraphs; a single line break stays inside one, as its writer set it. */
export function paragraphsOf(content: string): Paragraph[] {
  // Not /\s+$/, whose time grows with the square of a row of spaces.
  const blocks = content
    .replace(/\r\n?/g, '\n')
    .split(/\n[^\S\n]*(?:\n[^\S\n]*)+/)
    .map((block) => block.replace(/^\n+/, '').trimEnd())
    .filter((block) => block.trim() !== '');
  return blocks.map((block, index) => ({
    lines: block.split('\n'),
    isSignature: index > 0 && index === blocks.length - 1 && isName(block),
  }));
}

/** A short last line that ends without a stop. It is only set differently, so a wrong guess does no harm. */
function isName(block: string): boolean {
  return block.length <= signatureLengthMax && !block.includes('\n') && !/[.,:;!?…"”’)\d]$/.test(block);
}
