/** A paragraph of a letter. `isSignature` is true if it looks like the writer's name at the end. */
export type Paragraph = { lines: string[]; isSignature: boolean };

const signatureLengthMax = 32;

/** Splits a text at blank lines. A single line break stays inside its paragraph. */
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

/** True for a short line that ends without a stop. A wrong guess only changes the style of the line. */
function isName(block: string): boolean {
  return block.length <= signatureLengthMax && !block.includes('\n') && !/[.,:;!?…"”’)\d]$/.test(block);
}
