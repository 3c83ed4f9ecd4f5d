import type { Readable } from 'node:stream';
import { AppError } from '#shared/contract/errors.ts';

/** Storage of sealed files. It sees ciphertext and random names only. */
export type FileStore = {
  /**
   * Stores the stream, completely or not at all. It can be read only after this resolves. After a failure of the
   * stream or the store nothing remains.
   *
   * @throws FileStoreFullError
   */
  put(key: string, stream: Readable): Promise<void>;
  /** The bytes from `start` to `end`, both included, or all. @throws FileMissingError */
  read(key: string, range?: { start: number; end?: number }): Promise<Readable>;
  /** Number of bytes that are stored. @throws FileMissingError */
  sizeOf(key: string): Promise<number>;
  /** Also removes the rest of an interrupted `put`. A missing key is no error. */
  remove(key: string): Promise<void>;
  /**
   * Removes unfinished files of any key that were begun before that time: from killed processes, or parts that
   * arrived after an abort. Returns their number.
   */
  removeUnfinished(begunBefore: Date): Promise<number>;
  /** The key of every file that can be read, in no order; with a time, of those alone that were stored before it. */
  list(storedBefore?: Date): AsyncIterable<string>;
  /** Checks that files can be stored and read now, without storing one. @throws the cause if not. */
  check(signal?: AbortSignal): Promise<void>;
  readonly kind: 'disk' | 's3' | 'memory';
  close(): Promise<void>;
};

/** The disk, or what the operator allows of it, is used up. */
export class FileStoreFullError extends AppError {
  /** Error code of a full disk, for callers that check only that. */
  readonly code = 'ENOSPC';

  constructor() {
    super('UNAVAILABLE', 'There is no room left to store files here just now. Nothing was saved. Try again later.');
  }
}

/** The store does not have a file that should be there. */
export class FileMissingError extends AppError {
  constructor() {
    super('UNAVAILABLE', 'This file cannot be found in our store just now. Try again later.');
  }
}

/** The store did not answer, or not as it should. */
export class FileStoreUnreachableError extends AppError {
  constructor(cause: unknown) {
    super('UNAVAILABLE', 'We cannot reach our file store just now. Try again in a few minutes.');
    this.cause = cause;
  }
}

/** The store does not know us, or does not let us in. */
export class FileStoreRefusedError extends FileStoreUnreachableError {
  /** Error code of the store, such as `InvalidAccessKeyId`. */
  readonly code: string;

  constructor(code: string, cause: unknown) {
    super(cause);
    this.code = code;
  }
}

export type FileStoreSettings = {
  /** Files lie below it, in `files`, where no object storage is configured. */
  dataDir: string;
  s3?: S3Settings | undefined;
};

export type S3Settings = {
  bucket: string;
  /** Left out for Amazon itself. */
  endpoint?: string | undefined;
  region: string;
  /** Both left out, the store is entered by the role of the machine, as Amazon's library finds it out. */
  accessKeyId?: string | undefined;
  secretAccessKey?: string | undefined;
  /** Time without a byte from the store after which a request is retried. */
  silenceMs?: number | undefined;
};

/** The store these settings ask for. Amazon's library is loaded only when it is needed. */
export async function openFileStore({ dataDir, s3 }: FileStoreSettings): Promise<FileStore> {
  if (s3 === undefined) {
    const { createDiskStore } = await import('./disk-store.ts');
    return createDiskStore({ dataDir });
  }
  const { createS3Store } = await import('./s3-store.ts');
  return createS3Store(s3);
}

const keyForm = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export function isKey(text: string): boolean {
  return keyForm.test(text);
}

/** Every driver asks this first: a key becomes part of a path, and ours are UUIDs. */
export function requireKey(key: string): void {
  if (!isKey(key)) throw new TypeError('A file is stored under a UUID.');
}
