import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { html } from '#server/platform/mail/markup.ts';
import { supportEmail as builtSupportEmail } from '#shared/product.ts';

export type WebOptions = {
  /** The folder that the build has made: the pages, and `assets` beside them. */
  distDir: string;
  /** Address for people who need help. */
  supportEmail: string;
  /** Outbox page on a developer's machine without a mail server; left out elsewhere. */
  outbox?: string | undefined;
};

/** A page, cut wherever an element needs the nonce of the policy. */
export type PageParts = readonly string[];
/** `baseUrl` is the public address of the service: readers of link previews need whole addresses. */
type ReaderOptions = WebOptions & { baseUrl: string | URL };
export type ReadPage = (file: string) => Promise<PageParts>;

/** Put by the build wherever an element needs the nonce of the policy. */
const nonceMark = '__NONCE__';
/** Put by the build before the address of a picture. */
const originMark = '__ORIGIN__';
/** As the build leaves it. */
const noOutbox = '<meta name="outbox" content="" />';

/** Reads pages as the build has left them, and fills in what depends on who runs the service. */
export function pageReader({ distDir, supportEmail, outbox = '', baseUrl }: ReaderOptions): ReadPage {
  const { origin } = new URL(baseUrl);
  return async (file) => {
    const built = await readFile(path.join(distDir, file), 'utf8');
    const filled = built
      .replaceAll(builtSupportEmail, () => html`${supportEmail}`.html)
      .replaceAll(originMark, () => html`${origin}`.html);
    return filled.replace(noOutbox, () => html`<meta name="outbox" content="${outbox}" />`.html).split(nonceMark);
  };
}
