import type { FastifyInstance, LightMyRequestResponse } from 'fastify';
import { zipSync } from 'fflate';

export type FormFile = { name: string; content: Buffer | string; field?: string; type?: string };
export type FormGiven = {
  fields?: Record<string, string> | [name: string, value: string | Buffer][];
  file?: FormFile | undefined;
  /** Fields come after the file. */
  isFileFirst?: boolean;
  headers?: Record<string, string>;
};

const boundary = '----everkept-test-0123456789';

/** A multipart body, byte by byte, so that a name may hold what no browser would send. */
export function formBody({ fields = {}, file, isFileFirst = false }: FormGiven): { body: Buffer; type: string } {
  const pairs = Array.isArray(fields) ? fields : Object.entries(fields);
  const texts = pairs.map(([name, value]) =>
    part(`name="${name}"`, '', typeof value === 'string' ? Buffer.from(value) : value),
  );
  const files = file
    ? [
        part(
          `name="${file.field ?? 'file'}"; filename="${file.name}"`,
          `Content-Type: ${file.type ?? 'application/octet-stream'}\r\n`,
          Buffer.from(file.content),
        ),
      ]
    : [];
  const parts = isFileFirst ? [...files, ...texts] : [...texts, ...files];
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { body, type: `multipart/form-data; boundary=${boundary}` };
}

function part(disposition: string, headers: string, content: Buffer): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n${headers}\r\n`;
  return Buffer.concat([Buffer.from(head), content, Buffer.from('\r\n')]);
}

/** Sends a form as a browser would, which holds this cookie. */
export function sendForm(
  { app, cookie }: { app: FastifyInstance; cookie: string | null },
  [method, url]: ['POST' | 'PUT', string],
  given: FormGiven,
): Promise<LightMyRequestResponse> {
  const { body, type } = formBody(given);
  const origin = { 'sec-fetch-site': 'same-origin', ...(cookie === null ? {} : { cookie }) };
  const headers = { ...given.headers, 'content-type': type, ...origin };
  return app.inject({ method, url, headers, payload: body });
}

/** One small file of each kind that is accepted. */
export const samples = {
  pdf: Buffer.from('%PDF-1.4\n1 0 obj<<>>endobj\ntrailer<<>>\n%%EOF\n'),
  txt: Buffer.from('The key is under the blue pot.\r\n£20 is in the jar – take it.\n'),
  png: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  gif: Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64'),
  jpg: Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(200, 1)]),
  doc: wordDocument(),
  docx: wordPackage(),
  mp4: Buffer.concat([Buffer.from('00000018667479706d703432000000006d70343269736f6d', 'hex'), Buffer.alloc(500, 2)]),
  mov: Buffer.concat([Buffer.from('0000001466747970717420200000000071742020', 'hex'), Buffer.alloc(500, 2)]),
  webm: Buffer.concat([
    Buffer.from('1a45dfa39f4286810142f7810142f2810442f381084282847765626d42878104428581021853806701', 'hex'),
    Buffer.alloc(500, 3),
  ]),
};

/** The head of a WebM file (Matroska) with the one track that this codec names. */
export function webmOf(codec: string): Buffer {
  return Buffer.concat([samples.webm.subarray(0, 42), Buffer.from(`\x86${codec}`, 'latin1'), Buffer.alloc(500, 3)]);
}

/** A small recording of each kind that is accepted. */
export const voices = {
  wav: Buffer.concat([Buffer.from('RIFF\xf4\x01\0\0WAVEfmt ', 'latin1'), Buffer.alloc(500, 4)]),
  mp3: mp3(),
  m4a: Buffer.concat([Buffer.from('00000018667479704d344120000000004d34412069736f6d', 'hex'), Buffer.alloc(500, 5)]),
  ogg: Buffer.concat([
    Buffer.from('OggS\0\x02', 'latin1'),
    Buffer.alloc(20),
    Buffer.from('\x01\x13OpusHead\x01\x01', 'latin1'),
    Buffer.alloc(500, 6),
  ]),
  webm: webmOf('A_OPUS'),
};

/** Frames without sound, 128 kbit/s (ISO/IEC 11172-3). */
function mp3(): Buffer {
  const frame = Buffer.concat([Buffer.from('fffb9064', 'hex'), Buffer.alloc(413)]);
  return Buffer.concat([frame, frame, frame]);
}

/** A whole JPEG of 24 by 16 pixels. */
export const photograph = Buffer.from(
  [
    '/9j/4AAQSkZJRgABAQAAAQABAAD/4gHYSUNDX1BST0ZJTEUAAQEAAAHIAAAAAAQwAABtbnRyUkdCIFhZWiAH4AABAAEAAAAAAABh',
    'Y3NwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAA9tYAAQAAAADTLQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA',
    'AAAAAAAAAAAAAAAAAAAAAAAAAAlkZXNjAAAA8AAAACRyWFlaAAABFAAAABRnWFlaAAABKAAAABRiWFlaAAABPAAAABR3dHB0AAAB',
    'UAAAABRyVFJDAAABZAAAAChnVFJDAAABZAAAAChiVFJDAAABZAAAAChjcHJ0AAABjAAAADxtbHVjAAAAAAAAAAEAAAAMZW5VUwAA',
    'AAgAAAAcAHMAUgBHAEJYWVogAAAAAAAAb6IAADj1AAADkFhZWiAAAAAAAABimQAAt4UAABjaWFlaIAAAAAAAACSgAAAPhAAAts9Y',
    'WVogAAAAAAAA9tYAAQAAAADTLXBhcmEAAAAAAAQAAAACZmYAAPKnAAANWQAAE9AAAApbAAAAAAAAAABtbHVjAAAAAAAAAAEAAAAM',
    'ZW5VUwAAACAAAAAcAEcAbwBvAGcAbABlACAASQBuAGMALgAgADIAMAAxADb/2wBDABsSFBcUERsXFhceHBsgKEIrKCUlKFE6PTBC',
    'YFVlZF9VXVtqeJmBanGQc1tdhbWGkJ6jq62rZ4C8ybqmx5moq6T/2wBDARweHigjKE4rK06kbl1upKSkpKSkpKSkpKSkpKSkpKSk',
    'pKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKSkpKT/wAARCAAQABgDASIAAhEBAxEB/8QAFQABAQAAAAAAAAAAAAAAAAAABAD/',
    'xAAcEAACAQUBAAAAAAAAAAAAAAAAEQMBAgQSE0H/xAAVAQEBAAAAAAAAAAAAAAAAAAACA//EABoRAAICAwAAAAAAAAAAAAAAAAAR',
    'ARICMUH/2gAMAwEAAhEDEQA/AEB4snpJS3RP1iA8WNzkpdu14hy3CDhRTbfBBEQiR//Z',
  ].join(''),
  'base64',
);

/** A segment of a JPEG: its marker in hexadecimal, its length, its content. */
export function segmentOf(marker: string, content: Buffer): Buffer {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(content.length + 2);
  return Buffer.concat([Buffer.from(marker, 'hex'), length, content]);
}

type Camera = { width: number; height: number; orientation?: number; bytesBefore?: number };

/** A JPEG up to where it tells its size: behind how its camera was held (Exif, tag 274) and whatever else it wrote. */
export function pictureHead({ width, height, orientation = 1, bytesBefore = 0 }: Camera): Buffer {
  const held = Buffer.from(
    '457869660000' + '4d4d002a00000008' + '0001' + '0112000300000001000100000000' + '0000',
    'hex',
  );
  held.writeUInt16BE(orientation, 6 + 8 + 2 + 8);
  const size = Buffer.from('0800000000' + '03012200021101031101', 'hex');
  size.writeUInt16BE(height, 1);
  size.writeUInt16BE(width, 3);
  const before = segmentOf('ffe2', Buffer.alloc(bytesBefore));
  return Buffer.concat([
    ...[Buffer.from('ffd8', 'hex'), segmentOf('ffe1', held), before],
    ...[segmentOf('ffc0', size), Buffer.alloc(5_000, 1)],
  ]);
}

/** The head of a WebP picture. */
export const webp = Buffer.concat([Buffer.from('RIFF\xf4\x01\0\0WEBPVP8 ', 'latin1'), Buffer.alloc(500, 7)]);

/** Parts that make a ZIP archive a Word document, with additions. */
export function wordPackage(more: Record<string, Uint8Array> = {}, isWord = true): Buffer {
  const text = (words: string) => new TextEncoder().encode(words);
  return Buffer.from(
    zipSync({
      '[Content_Types].xml': text('<Types/>'),
      '_rels/.rels': text('<Relationships/>'),
      ...(isWord ? { 'word/document.xml': text('<w:document/>') } : { 'xl/workbook.xml': text('<workbook/>') }),
      ...more,
    }),
  );
}

/** A compound file with the stream that only Word writes. */
function wordDocument(): Buffer {
  const content = Buffer.alloc(4_096);
  Buffer.from('d0cf11e0a1b11ae1', 'hex').copy(content);
  Buffer.from('WordDocument', 'utf16le').copy(content, 1_536);
  return content;
}
