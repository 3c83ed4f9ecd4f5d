import { createRateLimits, type RateLimits } from '#server/http/rate-limits.ts';
import { type AppClock, createDatabaseClock } from '#server/platform/clock/clock.ts';
import { constantTimeMs } from '#server/platform/clock/constant-time.ts';
import { loadMasterKeys, type MasterKeys } from '#server/platform/crypto/master-key.ts';
import { createPasswords, type Passwords } from '#server/platform/crypto/passwords.ts';
import { createServiceKeys, type ServiceKeys } from '#server/platform/crypto/service-keys.ts';
import { type BrokenSealListener, createVaults, type Vaults } from '#server/platform/crypto/vault.ts';
import { type DiskSpace, readDiskSpace } from '#server/platform/files/disk-space.ts';
import { type FileStore, openFileStore } from '#server/platform/files/file-store.ts';
import { type NamedProvider, openIdentityProviders } from '#server/platform/identity/identity-provider.ts';
import { createFileLedger, type DeletionLedger } from '#server/platform/ledger/deletion-ledger.ts';
import { isLoopback } from '#server/platform/loopback.ts';
import { parseMailAddress } from '#server/platform/mail/addresses.ts';
import { type Mailer, openMailer } from '#server/platform/mail/mailer.ts';
import { createReturnPaths, type ReturnPaths } from '#server/platform/mail/return-paths.ts';
import { openPayments, type Payments } from '#server/platform/payments/payments.ts';
import { openPusher, type Pusher } from '#server/platform/push/pusher.ts';
import { vapidKeysOf } from '#server/platform/push/vapid.ts';
import { openScanner, type Scanner } from '#server/platform/scanner/scanner.ts';
import { openTextReplies, type TextReplies } from '#server/platform/sms/text-replies.ts';
import { openTexter, type Texter } from '#server/platform/sms/texter.ts';
import { createWebhook, type Webhook } from '#server/platform/webhook/webhook.ts';
import { supportEmail } from '#shared/product.ts';
import { type Ground, type Opening, openGround } from './ground.ts';
import type { Settings } from './settings.ts';

/**
 * Everything that this process opens once, and its settings. Every use case takes it as its first argument. It knows no
 * feature: a feature that keeps something in memory keeps it by `perApp`.
 */
export type App = Ground & {
  settings: Settings;
  /** Public address: scheme, host and port, without a path. */
  baseUrl: string;
  clock: AppClock;
  /** Real time in milliseconds, as phones show it. No test clock moves it. */
  realNowMs: () => number;
  /** Clock of this process in milliseconds. It can't be set, and stands still while the machine sleeps. */
  monotonicMs: () => number;
  /** Space of the disk that holds `DATA_DIR`. */
  readDisk: () => Promise<DiskSpace>;
  masterKeys: MasterKeys;
  serviceKeys: ServiceKeys;
  vaults: Vaults;
  passwords: Passwords;
  mailer: Mailer;
  /** Makes and reads the return path of each mail. */
  returnPaths: ReturnPaths;
  texter: Texter;
  /** Reads answers to text messages. Null if the installation sends no texts. */
  textReplies: TextReplies | null;
  /** Sends notices to devices of owners. */
  pusher: Pusher;
  /** The operator's own notifier. Null if no setting names one. */
  webhook: Webhook | null;
  store: FileStore;
  payments: Payments;
  scanner: Scanner;
  /** Record of deleted accounts, kept apart from the database. */
  ledger: DeletionLedger;
  identityProviders: readonly NamedProvider[];
  limits: RateLimits;
  /** Minimum duration of answers whose time must not reveal the result. See `inConstantTime`. */
  answerFloorMs: number;
  /** Called with each broken seal, before the error is thrown. Listeners must not throw. */
  brokenSealListeners: BrokenSealListener[];
  /** Values that features keep by `perApp`. */
  kept: Map<object, unknown>;
};

type Parts = Omit<App, 'baseUrl' | 'vaults' | 'returnPaths' | 'brokenSealListeners' | 'kept'>;

/** Parts of an `App` that are opened already, such as those that a test keeps hold of. */
export type GivenParts = Partial<Omit<Parts, keyof Ground | 'settings'>> & { ground?: Ground };

type AppOpening = Opening & { given?: GivenParts };

/** Opens everything in order. `close` closes it in the reverse order. */
export async function openApp(settings: Settings, { given = {}, ...opening }: AppOpening = {}): Promise<App> {
  const ground = given.ground ?? (await openGround(settings, opening));
  const opened: { close(): Promise<void> }[] = [ground];
  const close = async () => {
    for (const part of opened.reverse()) await part.close();
  };
  const keep = <Part extends { close(): Promise<void> }>(part: Part): Part => {
    opened.push(part);
    return part;
  };
  try {
    const masterKeys = given.masterKeys ?? (await loadMasterKeys({ dataDir: settings.dataDir, ...settings.masterKey }));
    const mailer = given.mailer ?? keep(await openMailer(settings.mail));
    const texter = given.texter ?? keep(await openTexter({ twilio: settings.sms }));
    const store = given.store ?? keep(await openFileStore(settings));
    const clock = given.clock ?? createDatabaseClock(ground.db, { testClock: settings.testClock });
    const serviceKeys = given.serviceKeys ?? (await createServiceKeys(ground.db, masterKeys));
    const sandbox = { baseUrl: settings.http.baseUrl, derive: serviceKeys.derive, now: () => clock.now() };
    return assembleApp({
      ...ground,
      ...{ settings, masterKeys, mailer, texter, store, clock, serviceKeys, close },
      limits: given.limits ?? createRateLimits({ db: ground.db }),
      passwords: given.passwords ?? createPasswords(),
      payments: given.payments ?? (await openPayments(settings, sandbox)),
      pusher: given.pusher ?? pusherOf(settings, serviceKeys),
      webhook: given.webhook ?? webhookOf(settings, serviceKeys, given.realNowMs),
      textReplies: given.textReplies ?? (await openTextReplies({ twilio: settings.sms })),
      scanner: given.scanner ?? (await openScanner(settings)),
      ledger: given.ledger ?? createFileLedger({ path: settings.deletionLedger }),
      identityProviders: given.identityProviders ?? (await openIdentityProviders(settings.identityProviders)),
      answerFloorMs: given.answerFloorMs ?? constantTimeMs,
      realNowMs: given.realNowMs ?? Date.now,
      monotonicMs: given.monotonicMs ?? (() => performance.now()),
      readDisk: given.readDisk ?? (() => readDiskSpace(settings.dataDir)),
    });
  } catch (error) {
    await close();
    throw error;
  }
}

function pusherOf(settings: Settings, serviceKeys: ServiceKeys): Pusher {
  const { http, testClock } = settings;
  // Push services want an address of the web. The operator's own is not for strangers, who may run such a service.
  const site = http.baseUrl.startsWith('https:') ? http.baseUrl : `mailto:${supportEmail}`;
  return openPusher({ vapid: vapidKeysOf(serviceKeys), site, isTrial: testClock });
}

function webhookOf({ webhook }: Settings, serviceKeys: ServiceKeys, realNowMs = Date.now): Webhook | null {
  if (webhook.url === undefined) return null;
  return createWebhook({ url: webhook.url, secret: webhookSecretOf(webhook, serviceKeys), realNowMs });
}

/** Secret that signs calls to the webhook: the one of the settings, or one that the first start made. */
export function webhookSecretOf({ secret }: Settings['webhook'], serviceKeys: Pick<ServiceKeys, 'derive'>): string {
  return secret ?? serviceKeys.derive('webhook', 'secret');
}

/** Adds to opened parts everything that follows from them. It opens nothing. */
export function assembleApp(parts: Parts): App {
  const { masterKeys, serviceKeys, settings } = parts;
  const brokenSealListeners: BrokenSealListener[] = [];
  const report: BrokenSealListener = (context) => {
    for (const listener of brokenSealListeners) listener(context);
  };
  serviceKeys.onBroken(report);
  return {
    ...parts,
    baseUrl: settings.http.baseUrl,
    vaults: createVaults(masterKeys, report),
    returnPaths: createReturnPaths({
      mailbox: settings.bounces.address,
      sign: (text) => serviceKeys.derive('return-path', text),
    }),
    brokenSealListeners,
    kept: new Map(),
  };
}

/** Address of the person who runs the installation: the administrator, or else the sender of its mails. */
export function operatorAddressOf({ settings }: Pick<App, 'settings'>): string {
  return settings.adminEmail ?? parseMailAddress(settings.mail.from).address;
}

/** True if mails leave this machine. On a trial machine they are read in the outbox, which is no fault. */
export function isMailSetUp({ mailer, baseUrl }: App): boolean {
  return mailer.kind === 'smtp' || isLoopback(new URL(baseUrl).hostname);
}

/** True if texts reach people. If mails are kept in the outbox too, its page shows the texts. */
export function isTextingSetUp({ texter, mailer }: App): boolean {
  return texter.kind !== 'outbox' || mailer.kind === 'outbox';
}

/**
 * Keeps one value for each `App`, opened at its first use: for a feature that has state in memory.
 *
 * @example const seenOf = perApp(() => new Map<string, number>());
 */
export function perApp<Value>(open: (app: App) => Value): (app: App) => Value {
  const key = {};
  return (app) => {
    if (!app.kept.has(key)) app.kept.set(key, open(app));
    return app.kept.get(key) as Value;
  };
}

/**
 * Reaches a service or a function of a feature above. `server/reactions.ts` sets it, and functions that need it
 * read it from their `App`.
 */
export function serviceOf<Service>(name: string): ((app: App) => Service) & { set(app: App, service: Service): void } {
  const key = {};
  const read = (app: App) => {
    if (!app.kept.has(key)) throw new Error(`${name} was not put together with this App.`);
    return app.kept.get(key) as Service;
  };
  return Object.assign(read, { set: (app: App, service: Service) => void app.kept.set(key, service) });
}
