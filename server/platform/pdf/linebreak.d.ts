/** The package has no types of its own. */
declare module 'linebreak' {
  class LineBreaker {
    constructor(text: string);
    /** Next place at which a line may (UAX 14) or must end; null at the end of the text. */
    nextBreak(): { position: number; required: boolean } | null;
  }
  export = LineBreaker;
}
