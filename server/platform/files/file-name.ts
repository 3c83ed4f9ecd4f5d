import { extensionOf, fileNameLengthMax } from '#shared/rules/files.ts';
import { withoutEnd } from '#shared/text-ends.ts';

/** Control characters, and those that only change how others are shown: direction, joining, zero width. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\uFEFF]/gu;
/** Characters with a meaning for a shell, a header or a file system. */
const meaningful = /["'`<>:|?*;%$&{}]/g;
const nameless = 'file';

/**
 * File name that is safe to store, show and put into a header. It is the last part of a path, on one line, without
 * invisible or quoting characters. It has at most `fileNameLengthMax` letters, with its extension kept.
 */
export function cleanFileName(given: string): string {
  const [last = ''] = given.toWellFormed().normalize('NFC').split(/[/\\]/).slice(-1);
  const visible = last.replace(invisible, '').replace(meaningful, '_').replace(/\s+/g, ' ');
  // Windows drops dots and spaces at the end, which would give the name another ending than the one we looked at.
  const trimmed = withoutEnd(visible, '. ').trimStart();
  return shortened(trimmed.startsWith('.') ? nameless + trimmed : trimmed) || nameless;
}

function shortened(name: string): string {
  const letters = [...name];
  if (letters.length <= fileNameLengthMax) return name;
  const extension = extensionOf(name);
  const ending = extension && extension.length < 10 ? `.${extension}` : '';
  return (
    letters
      .slice(0, fileNameLengthMax - ending.length)
      .join('')
      .trimEnd() + ending
  );
}
