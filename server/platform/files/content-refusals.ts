import { AppError } from '#shared/contract/errors.ts';

/** Words for what content is, and what its owner can do. */
type Refused = { is: string; advice: string };

const asPdf = 'Save it as a PDF, and choose that.';
const asJpeg = 'Save it as a JPEG, and choose that.';
const again = 'Open it on your device, save it again, and choose that.';
const document = (is: string): Refused => ({ is, advice: asPdf });
const picture = (is: string): Refused => ({ is, advice: asJpeg });
const recording: Refused = { is: 'a recording', advice: 'Put it into a letter as a voice.' };
const video: Refused = { is: 'a video', advice: 'Attach it to a letter, or store it as a document.' };
const program: Refused = { is: 'a program', advice: 'Programs are never accepted.' };

/** Content by its kind, as `contentKindOf` names it. */
const refusedKinds: Record<string, Refused> = {
  pdf: { is: 'a PDF', advice: 'Store it as a document, or attach it to a letter.' },
  zip: { is: 'a Word document or an archive', advice: 'Store it as a document, or attach it to a letter.' },
  compound: document('an older Office document'),
  rtf: document('a rich text document'),
  odt: document('an OpenDocument text'),
  ods: document('a spreadsheet'),
  odp: document('a presentation'),
  jpg: picture('a JPEG picture'),
  png: picture('a PNG picture'),
  apng: picture('a PNG picture'),
  gif: picture('a GIF picture'),
  webp: picture('a WebP picture'),
  heic: picture('a HEIC picture'),
  avif: picture('an AVIF picture'),
  tif: picture('a TIFF picture'),
  bmp: picture('a bitmap picture'),
  mp3: recording,
  m4a: recording,
  m4b: recording,
  opus: recording,
  ogg: recording,
  oga: recording,
  wav: recording,
  amr: { is: 'a recording of a kind that browsers cannot play', advice: 'Save it as MP3 or M4A, and choose that.' },
  mp4: video,
  m4v: video,
  mov: video,
  '3gp': video,
  '3g2': video,
  webm: video,
  mkv: { is: 'a video of a kind that few browsers play', advice: 'Save it as MP4, and choose that.' },
  avi: { is: 'a video of a kind that few browsers play', advice: 'Save it as MP4, and choose that.' },
  xml: document('a web page or another XML file'),
  exe: program,
  elf: program,
  macho: program,
};

/** Refuses a file whose content is of another kind than its name says, and of none that is taken here in its place. */
export function notAsNamed(extension: string, kind: string | null, head: Buffer): AppError {
  const { is, advice } = (kind === null ? null : refusedKinds[kind]) ?? lookedAt(head);
  return refused(`This file is ${is}, although its name ends in .${extension}, so we did not store it. ${advice}`);
}

/** Refuses a file with this sentence. */
export function refused(sentence: string): AppError {
  return new AppError('UNSUPPORTED_MEDIA_TYPE', sentence);
}

const webPage = /^\s*(?:<!doctype\s+html|<!--|<(?:html|head|body|script|iframe|style|meta|div|p|table)\b)/i;
/** The first line of a header as mail programs and browsers write it (RFC 5322, RFC 2557), and lines that only they write. */
const headerLine = /^[a-z][a-z-]*:[ \t]/i;
const mimeLines = /^(?:mime-version:[ \t]{0,8}1\.0|received:[ \t]{0,8}from |return-path:[ \t]{0,8}<)/im;
const pageInOneFile = /^content-type:[ \t]*multipart\/related/im;
const describedBytes = 1_024;

/** Content that no mark tells. */
function lookedAt(head: Buffer): Refused {
  const text = head
    .toString('latin1', 0, describedBytes)
    .replace(/^(?:\u00ef\u00bb\u00bf|\u00ff\u00fe|\u00fe\u00ff)/, '')
    .replaceAll('\0', '');
  if (webPage.test(text)) return { is: 'a web page', advice: 'Open it, print it to a PDF, and choose that.' };
  if (/^\s*<(?:\?xml|svg)/i.test(text)) return { is: 'a drawing or another XML file', advice: asPdf };
  if (text.startsWith('#!')) return program;
  if (text.startsWith('%!PS')) return document('a PostScript file');
  if (headerLine.test(text) && pageInOneFile.test(text)) {
    return {
      is: 'a web page in one file (MHTML)',
      advice: 'Open it in Word or a browser, save it as a PDF, and choose that.',
    };
  }
  if (headerLine.test(text) && mimeLines.test(text)) {
    return { is: 'an email', advice: 'Open it in your mail program, print it to a PDF, and choose that.' };
  }
  const isText = !head.subarray(0, describedBytes).some((byte) => byte < 9 || (byte > 13 && byte < 32));
  if (isText) return { is: 'plain text', advice: 'Change the ending of its name to .txt, or save it as a PDF.' };
  return { is: 'damaged, or of a kind that we do not know', advice: again };
}

/** Sentences for files of a known kind that are refused for their content. */
export const contentRefusals = {
  lockedWord:
    'This Word file is locked with a password, and its readers would need that password. Open it in Word, take the password off, save it, and choose it again.',
  lockedOpenDocument:
    'This document is locked with a password, and its readers would need that password. Open it, save it without a password, and choose it again.',
  macros: 'This document holds macros, which are programs. Save it without macros, or as a PDF, and choose that.',
  embedded: `This document holds another file in it, which may be a program. ${asPdf}`,
  spreadsheet: `This is a spreadsheet. ${asPdf}`,
  presentation: `This is a presentation. ${asPdf}`,
  iWork: 'This is a document of Pages, Numbers or Keynote. Export it there as Word or PDF, and choose that.',
  email: 'This is an email of Outlook. Print it to a PDF, and choose that.',
  archive: 'This is an archive (ZIP). Take the files out of it, and choose them one by one.',
  notWord: `This is not a Word document, or it is incomplete. ${again}`,
  openDocument: `This OpenDocument text is incomplete. ${again}`,
  tooLargeUnpacked: `This document unpacks to more than we can store. ${asPdf}`,
  unsafe: `This document holds parts that are not safe to unpack. ${again}`,
  programText: 'This text begins like a program, with #!. Put a line of your own above that, or save it as a PDF.',
  webPageText:
    'This text begins like a web page or a document. Put a line of your own above that, or save it as a PDF.',
  notText: 'This file holds bytes that plain text never has. Save it as a PDF, and choose that.',
  videoAsVoice:
    'This is a video, and a voice has no picture. Attach the video to the letter, or choose the sound alone.',
  sealed: 'This sealed file is incomplete. Close the letter, open it again, and save it once more.',
} as const;
