/** What becomes of a message's attachment when it is saved: left as it is, taken away, or a file put in its place. */
export type AttachmentChoice = { what: 'keep' | 'remove' } | { what: 'add'; file: File };
