import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  type ListMultipartUploadsCommandInput,
  type ListMultipartUploadsCommandOutput,
  ListObjectsV2Command,
  type MultipartUpload,
  S3Client,
  S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import {
  FileMissingError,
  type FileStore,
  FileStoreFullError,
  FileStoreRefusedError,
  FileStoreUnreachableError,
  requireKey,
  type S3Settings,
} from './file-store.ts';

const prefix = 'files/';
const attemptsMax = 3;
/** The smallest part Amazon takes, and how many are held in memory at a time for one upload. */
const partBytes = 5 * 1024 * 1024;
const partsAtOnce = 2;
const connectTimeoutMs = 5_000;
const silenceTimeoutMs = 10_000;

/** The library's door to a store. */
export function openS3Client(settings: S3Settings): S3Client {
  const { endpoint, region, accessKeyId, secretAccessKey, silenceMs = silenceTimeoutMs } = settings;
  return new S3Client({
    region,
    ...(accessKeyId && secretAccessKey ? { credentials: { accessKeyId, secretAccessKey } } : {}),
    ...(endpoint === undefined ? {} : { endpoint, forcePathStyle: true }),
    maxAttempts: attemptsMax,
    requestHandler: { connectionTimeout: connectTimeoutMs, socketTimeout: silenceMs },
    // By default checksums travel behind the body, in a framing that other stores keep as if it were content. What we
    // store is authenticated by its seal anyway.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
  });
}

/** Files in one bucket of Amazon's or of any store that speaks as Amazon does. */
export function createS3Store(settings: S3Settings): FileStore {
  const { bucket } = settings;
  const client = openS3Client(settings);
  const placeOf = (key: string) => ({ Bucket: bucket, Key: prefix + key });

  /** Uploads that were cut off before their end, whose parts no list of files shows. */
  async function* listUploads(Prefix: string): AsyncIterable<MultipartUpload> {
    let markers: Pick<ListMultipartUploadsCommandInput, 'KeyMarker' | 'UploadIdMarker'> | undefined = {};
    while (markers) {
      const page: ListMultipartUploadsCommandOutput = await client.send(
        new ListMultipartUploadsCommand({ Bucket: bucket, Prefix, ...markers }),
      );
      yield* page.Uploads ?? [];
      const { IsTruncated, NextKeyMarker: KeyMarker, NextUploadIdMarker: UploadIdMarker } = page;
      markers = IsTruncated && KeyMarker !== undefined ? { KeyMarker, UploadIdMarker } : undefined;
    }
  }

  /** Gives how many there were. An upload that has ended in the meantime is no mistake. */
  async function abortUploads(Prefix: string, isOver: (upload: MultipartUpload) => boolean): Promise<number> {
    let aborted = 0;
    try {
      for await (const upload of listUploads(Prefix)) {
        if (!isOver(upload)) continue;
        const { Key, UploadId } = upload;
        await client.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId })).catch(unlessGone);
        aborted += 1;
      }
    } catch (error) {
      // Some stores do not list unfinished uploads; their operators let them expire by a rule of the bucket.
      if (!unlistable.has(statusOf(error))) throw error;
    }
    return aborted;
  }

  async function remove(key: string): Promise<void> {
    const place = placeOf(key);
    await client.send(new DeleteObjectCommand(place));
    await abortUploads(place.Key, () => true);
  }

  return {
    kind: 's3',

    async put(key, stream) {
      requireKey(key);
      let failure: unknown = null;
      stream.once('error', (error) => {
        failure = error;
      });
      try {
        const upload = {
          client,
          params: { ...placeOf(key), Body: stream },
          partSize: partBytes,
          queueSize: partsAtOnce,
        };
        await new Upload(upload).done();
      } catch (error) {
        stream.destroy();
        // The library aborts its upload. If the abort fails, a later cleanup removes the rest.
        throw failure ?? asStoreError(error);
      }
    },

    async read(key, range) {
      requireKey(key);
      const Range = range && `bytes=${range.start}-${range.end ?? ''}`;
      try {
        const { Body } = await client.send(new GetObjectCommand({ ...placeOf(key), ...(Range ? { Range } : {}) }));
        if (!(Body instanceof Readable)) throw new TypeError('The store answered with something else than a stream.');
        return Body;
      } catch (error) {
        // Nothing lies behind the end, which here is an answer and no mistake.
        if (statusOf(error) === rangeNotSatisfiable) return Readable.from([], { objectMode: false });
        throw asStoreError(error);
      }
    },

    async sizeOf(key) {
      requireKey(key);
      try {
        const { ContentLength } = await client.send(new HeadObjectCommand(placeOf(key)));
        if (ContentLength === undefined) throw new TypeError('The store did not say how long a file is.');
        return ContentLength;
      } catch (error) {
        // The answer has no body, and so no error code.
        throw statusOf(error) === notFound ? new FileMissingError() : asStoreError(error);
      }
    },

    async remove(key) {
      requireKey(key);
      try {
        await remove(key);
      } catch (error) {
        throw asStoreError(error);
      }
    },

    async removeUnfinished(begunBefore) {
      try {
        // An upload of which the store does not say when it began may be under way.
        return await abortUploads(prefix, ({ Initiated }) => Initiated !== undefined && Initiated < begunBefore);
      } catch (error) {
        throw asStoreError(error);
      }
    },

    async *list(storedBefore) {
      const isWanted = (at: Date | undefined) => !storedBefore || (at !== undefined && at < storedBefore);
      let ContinuationToken: string | undefined;
      do {
        const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken }));
        for (const { Key, LastModified } of page.Contents ?? []) {
          if (Key && isWanted(LastModified)) yield Key.slice(prefix.length);
        }
        ContinuationToken = page.NextContinuationToken;
      } while (ContinuationToken !== undefined);
    },

    async check(abortSignal) {
      try {
        const oneKey = new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, MaxKeys: 1 });
        await client.send(oneKey, abortSignal ? { abortSignal } : {});
      } catch (error) {
        throw asStoreError(error);
      }
    },

    close: async () => client.destroy(),
  };
}

const notFound = 404;
const rangeNotSatisfiable = 416;
/** Names under which a store says that it does not know us or does not let us in. */
const refusals: ReadonlySet<string> = new Set([
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'AccessDenied',
  'NoSuchBucket',
]);
/** Not allowed, or not implemented. */
const unlistable: ReadonlySet<number | undefined> = new Set([403, 405, 501]);
const fullNames: ReadonlySet<string> = new Set(['QuotaExceeded', 'InsufficientStorage', 'XMinioStorageFull']);

function statusOf(error: unknown): number | undefined {
  return error instanceof S3ServiceException ? error.$metadata.httpStatusCode : undefined;
}

function asStoreError(error: unknown): Error {
  if (error instanceof S3ServiceException) {
    if (error.name === 'NoSuchKey') return new FileMissingError();
    if (fullNames.has(error.name) || statusOf(error) === 507) return new FileStoreFullError();
  }
  if (error instanceof S3ServiceException && refusals.has(error.name))
    return new FileStoreRefusedError(error.name, error);
  return new FileStoreUnreachableError(error);
}

/** The parts are gone, because the upload was ended elsewhere. */
function unlessGone(error: unknown): void {
  if (error instanceof S3ServiceException && error.name === 'NoSuchUpload') return;
  throw error;
}
