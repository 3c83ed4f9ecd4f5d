import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { momentOfBackup } from '#server/features/backup/backup-names.ts';
import { openBackupPlace } from '#server/features/backup/backup-places.ts';
import { bad, type Finding, poor, well } from '#server/features/service-health/findings.rules.ts';
import { isBackupLate } from '#server/features/service-health/state.rules.ts';
import { FileStoreRefusedError, openFileStore } from '#server/platform/files/file-store.ts';
import { openScanner } from '#server/platform/scanner/scanner.ts';
import type { Settings } from '#server/settings.ts';
import { productSlug } from '#shared/product.ts';
import { tried } from './findings.ts';

/** Findings about external services: mail server, file store, scanner. Each is tried, and no trace is left. */
export async function* lookAtDoors(settings: Settings): AsyncGenerator<Finding[]> {
  yield await lookAtMail(settings);
  yield await lookAtBounces(settings);
  yield await lookAtStore(settings);
  yield await lookAtScanner(settings);
  yield await lookAtBackups(settings);
}

/** Checks that a backup exists, if nightly backups are set up. */
function lookAtBackups({ backups, http }: Settings): Promise<Finding[]> {
  const mend =
    'Check the place in BACKUP_TO, its permissions and free space, and that a worker runs. It tries again every hour.';
  return tried('backups', mend, async () => {
    const { to, s3 } = backups;
    if (to === undefined) {
      const found = 'BACKUP_TO is not set, so backups are only made by hand.';
      return http.isLocal
        ? well('backups', found)
        : poor('backups', found, 'Set it to a folder on another disk, or to s3://bucket/prefix.');
    }
    const place = await openBackupPlace({ to, s3 });
    const moments = (await place.list()).flatMap(({ name }) => momentOfBackup(name) ?? []);
    if (moments.length === 0) return poor('backups', `There is none yet at ${to}.`, mend);
    const newest = Math.max(...moments.map((moment) => moment.getTime()));
    const found = `${moments.length} at ${to}, the newest of ${new Date(newest).toISOString()}.`;
    return isBackupLate(newest, Date.now()) ? bad('backups', found, mend) : well('backups', found);
  });
}

/** Three tries of this fit into the time that one door is given. */
const storeSilenceMs = 3_000;

async function lookAtBounces({ mail, bounces }: Settings): Promise<Finding[]> {
  if (mail.smtpUrl === undefined) return [];
  const { mailboxUrl } = bounces;
  if (mailboxUrl === undefined) {
    return [
      poor(
        'mails that come back',
        'No mailbox is read. If another mail server accepts a letter or a reminder and returns it later, we do not notice, unless a pipe delivers it to us.',
        `Set BOUNCE_MAILBOX to the mailbox of ${bounces.address}, or have its mail server hand each mail to: ${productSlug} bounce.`,
      ),
    ];
  }
  const mend = 'Check BOUNCE_MAILBOX (address, name, password, folder) and the certificate of that mail server.';
  return tried('mails that come back', mend, async () => {
    const { checkBounceMailbox } = await import('#server/platform/mail/bounce-mailbox.ts');
    await checkBounceMailbox(mailboxUrl);
    return well('mails that come back', 'Their mailbox answers, and we can read it.');
  });
}

function lookAtMail({ mail, http }: Settings): Promise<Finding[]> {
  const mend =
    'Check SMTP_URL (address, port, name and password) and the certificate of the mail server. A mail server on another machine must speak TLS, unless the address ends with allowInsecure=1.';
  return tried('mail server', mend, async () => {
    if (mail.smtpUrl === undefined) {
      return http.isLocal
        ? well('mail server', 'None is set: mail is shown at /outbox.')
        : bad('mail server', 'None is set, so no email reaches people.', 'Set SMTP_URL and MAIL_FROM.');
    }
    const { checkSmtp } = await import('#server/platform/mail/smtp-mailer.ts');
    await checkSmtp(mail.smtpUrl);
    return well('mail server', 'It answers, and accepts our login.');
  });
}

function lookAtStore(settings: Settings): Promise<Finding[]> {
  const where = settings.s3 ? 'the bucket, its keys and its rights' : 'the rights of DATA_DIR/files, and the disk';
  return tried('file store', `Check ${where}. Documents and attachments cannot be stored until it works.`, async () => {
    const s3 = settings.s3 && { ...settings.s3, silenceMs: Math.min(settings.s3.silenceMs, storeSilenceMs) };
    const store = await openFileStore({ dataDir: settings.dataDir, s3 });
    const key = randomUUID();
    const content = Buffer.from('a file to see whether files can be kept');
    try {
      await store.put(key, Readable.from([content], { objectMode: false }));
      const back = await buffer(await store.read(key));
      await store.remove(key);
      return back.equals(content)
        ? well('file store', settings.s3 ? 'Object storage stores a file and returns it.' : 'The disk stores a file.')
        : bad('file store', 'It returned other bytes than we stored.', `Check ${where}.`);
    } catch (error) {
      if (!(error instanceof FileStoreRefusedError)) throw error;
      const [found, mend] = refusals[error.code] ?? [`It refused access (${error.code}).`, `Check ${where}.`];
      return bad('file store', found, mend);
    } finally {
      await store.close();
    }
  });
}

/** Explains the refusal of a store in plain words, with the next step. */
const refusals: Readonly<Record<string, [found: string, mend: string]>> = {
  InvalidAccessKeyId: ['Object storage does not know the access key.', 'Check S3_ACCESS_KEY_ID.'],
  SignatureDoesNotMatch: [
    'The secret key is not the one of this access key.',
    'Check S3_SECRET_ACCESS_KEY, S3_REGION and the clock of this machine.',
  ],
  AccessDenied: [
    'The access key lacks permissions in the bucket.',
    'Allow it to put, get, delete and list objects, and to list and abort multipart uploads.',
  ],
  NoSuchBucket: ['There is no bucket with this name.', 'Create it, or check S3_BUCKET and S3_ENDPOINT.'],
};

function lookAtScanner(settings: Settings): Promise<Finding[]> {
  const mend = 'Start clamd and check CLAMAV_HOST and CLAMAV_PORT. No file is accepted until it answers.';
  return tried('scanner', mend, async () => {
    const scanner = await openScanner(settings);
    if (scanner.kind === 'none') {
      const isLocal = settings.http.isLocal;
      const found = 'Files are not scanned.';
      return isLocal
        ? well('scanner', found)
        : poor('scanner', found, 'Set CLAMAV_HOST to the address of a ClamAV server.');
    }
    const harmless = Readable.from([Buffer.from('harmless')], { objectMode: false });
    await pipeline(harmless, scanner.scan(), (passed) => buffer(passed));
    return well('scanner', 'It scans files.');
  });
}
