/** Advice for files that are refused by their ending, in the words of the person who chose one. */
const advice: readonly [endings: readonly string[], sentence: string][] = [
  [['xls', 'xlsx', 'xlsm', 'ods', 'csv', 'numbers'], 'This is a spreadsheet. Save it as a PDF, and choose that.'],
  [['ppt', 'pptx', 'pps', 'ppsx', 'odp', 'key'], 'This is a presentation. Save it as a PDF, and choose that.'],
  [['pages'], 'This is a Pages document. Export it there as Word or PDF, and choose that.'],
  [['docm', 'dotm'], 'This document may hold macros. Save it as .docx or PDF, and choose that.'],
  [['dot', 'dotx', 'ott', 'wpd', 'wps', 'md'], 'Save this document as .docx or PDF, and choose that.'],
  [['htm', 'html', 'mht', 'mhtml', 'webarchive', 'xps'], 'Open this file, print it to a PDF, and choose that.'],
  [['eml', 'msg'], 'This is an email. Print it to a PDF, and choose that.'],
  [['vcf', 'ics'], 'Copy what this file says into a document, and choose that.'],
  [['zip', 'rar', '7z', 'tar', 'gz'], 'This is an archive. Take the files out of it, and choose them one by one.'],
  [['mp3', 'm4a', 'm4b', '3ga', 'ogg', 'oga', 'opus', 'wav'], 'This is a recording. Put it into a letter as a voice.'],
  [
    ['amr', 'caf', 'aac', 'wma', 'flac', 'aiff'],
    'Save this recording as MP3 or M4A, and put it into a letter as a voice.',
  ],
  [['avi', 'mkv', 'wmv', 'mts', 'mpg', 'mpeg'], 'Save this video as MP4, and choose that.'],
  [
    ['heic', 'heif', 'avif', 'tif', 'tiff', 'bmp', 'psd', 'dng', 'cr2', 'cr3', 'nef', 'arw', 'svg'],
    'Save this picture as JPEG, and choose that.',
  ],
];

/** Advice for a person with a file of this extension. Null if only another file helps. */
export function adviceFor(ending: string): string | null {
  return advice.find(([endings]) => endings.includes(ending))?.[1] ?? null;
}
