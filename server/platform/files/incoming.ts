import type { Readable } from 'node:stream';

/** An incoming file. Its name is cleaned, and nothing else about it is known. `signal` aborts when its sender leaves. */
export type IncomingFile = { name: string; content: Readable; signal?: AbortSignal };

/** A form with one file. Fields and file come in any order, so the fields are known only once all of it was read. */
export type Upload<Fields> = {
  /** Length of the whole form as it was announced; an upper bound for the file. Null where nothing was said. */
  announcedBytes: number | null;
  /**
   * Reads the form, and passes its file to `keep` as it arrives.
   *
   * @throws AppError `VALIDATION` if the file is missing or a field is invalid. The stored file is useless then.
   */
  read(keep: (file: IncomingFile) => Promise<void>): Promise<Fields>;
};

/** A file that can be given out, whole or in part. */
export type OutgoingFile = {
  name: string;
  mimeType: string;
  sizeBytes: number;
  /** The content from `start` to `end`, both included, or all of it. Fails instead of ending where anything is wrong. */
  open(range?: { start: number; end: number }): Promise<Readable>;
};

/** A file that is made while it is given out. */
export type OutgoingStream = {
  name: string;
  mimeType: string;
  /** Fails if the file is incomplete, so that a part never counts as the whole. */
  content: Readable;
  headers?: Record<string, string>;
};
