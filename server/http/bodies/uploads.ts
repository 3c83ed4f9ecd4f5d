import multipart, { type MultipartFile, type MultipartValue } from '@fastify/multipart';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { refusal, wordsFor } from '#server/http/validation.ts';
import { cleanFileName } from '#server/platform/files/file-name.ts';
import type { IncomingFile, Upload } from '#server/platform/files/incoming.ts';
import { AppError } from '#shared/contract/errors.ts';
import { contentLengthMax } from '#shared/contract/fields.ts';
import { videoBytesMax } from '#shared/rules/files.ts';

/** The longest field is the content of a message; a letter takes up to four bytes. */
const fieldBytesMax = contentLengthMax * 4;
const fieldsMax = 20;
const fieldNameBytesMax = 100;

/** Lets the routes of this scope take forms with a file. Nothing is written anywhere but by the route itself. */
export async function takeForms(scope: FastifyInstance, { fileBytesMax = videoBytesMax } = {}): Promise<void> {
  await scope.register(multipart, {
    throwFileSizeLimit: false,
    limits: {
      files: 1,
      fields: fieldsMax,
      parts: fieldsMax + 1,
      fieldSize: fieldBytesMax,
      fieldNameSize: fieldNameBytesMax,
      // The limits of a file follow from its kind and its owner's plan. This is only the last bound.
      fileSize: fileBytesMax + 1,
    },
  });
}

type FormOf<Fields> = {
  fields: z.ZodType<Fields>;
  /** Counts the bytes of the fields. */
  spendText: (bytes: number) => Promise<void>;
  /** Aborts when the sender leaves. */
  signal: AbortSignal;
};

/** The form of a request, read when its handler asks for it. */
export function uploadOf<Fields>(
  request: FastifyRequest,
  { fields, spendText, signal }: FormOf<Fields>,
): Upload<Fields> {
  const announced = Number(request.headers['content-length']);
  return {
    announcedBytes: Number.isSafeInteger(announced) && announced > 0 ? announced : null,
    async read(keep) {
      try {
        const given = await readParts(request, (file) => keep({ ...file, signal }));
        await spendText(textBytes(given));
        return parseFields(fields, given);
      } catch (error) {
        // A client that is still sending reads our answer only after its body was read.
        request.raw.unpipe().resume();
        throw explained(error);
      }
    },
  };
}

/** A line between parts has at most 70 characters (RFC 2046 §5.1.1); the parser fails at one of more than 252. */
const formTypeLengthMax = 200;

/** @throws AppError `UNSUPPORTED_MEDIA_TYPE` for anything but a form that can carry files. */
export async function requireForm(request: FastifyRequest): Promise<void> {
  const type = request.headers['content-type'] ?? '';
  if (/^multipart\/form-data\s*;/i.test(type) && type.length <= formTypeLengthMax) return;
  throw new AppError('UNSUPPORTED_MEDIA_TYPE', 'Send this as a form with a file (multipart/form-data).');
}

async function readParts(request: FastifyRequest, keep: (file: IncomingFile) => Promise<void>) {
  // The parser waits for an event that has passed already, so the call and its place in a queue would never end.
  if (request.raw.destroyed) throw unreadableForm();
  const fields = new Map<string, unknown>();
  let hasFile = false;
  for await (const part of request.parts()) {
    if (part.type === 'field') addField(fields, part);
    else if (isChosen(part)) {
      hasFile = true;
      await keep({ name: cleanFileName(part.filename), content: part.file });
    } else part.file.resume();
  }
  if (hasFile) return Object.fromEntries(fields);
  const message = 'Please select a file to upload.';
  throw new AppError('VALIDATION', message, { issues: [{ path: 'file', message }] });
}

/** Bytes of the fields of a form, without its file. */
function textBytes(fields: Record<string, unknown>): number {
  return Object.values(fields).reduce((sum: number, value) => sum + Buffer.byteLength(String(value)), 0);
}

/** A browser sends a nameless part where no file was chosen. */
function isChosen({ filename }: MultipartFile): boolean {
  return Boolean(filename);
}

function addField(fields: Map<string, unknown>, { fieldname, value, valueTruncated }: MultipartValue): void {
  if (valueTruncated) throw new AppError('PAYLOAD_TOO_LARGE', 'That is more than we can accept at once.');
  // Twice the same says two things, and we could not know which one is meant.
  if (fields.has(fieldname)) throw new AppError('VALIDATION', 'One field of this form was sent twice.');
  fields.set(fieldname, value);
}

function parseFields<Fields>(schema: z.ZodType<Fields>, input: unknown): Fields {
  const result = z.safeParse(schema, input, { error: wordsFor });
  if (result.success) return result.data;
  throw refusal(result.error);
}

/** The parser's error as an AppError, if the sender caused it. */
function explained(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (/^FST_(PARTS|FIELDS|FILES)_LIMIT$/.test(code)) {
    return new AppError('PAYLOAD_TOO_LARGE', 'Send one file at a time.');
  }
  const isUnreadable = error instanceof Error && !(error instanceof AppError) && unreadable.test(error.message);
  return isUnreadable ? unreadableForm() : error;
}

function unreadableForm(): AppError {
  return new AppError('VALIDATION', 'We could not read this request.');
}

const unreadable = /multipart|terminated early|malformed|boundary|header|closed before/i;
