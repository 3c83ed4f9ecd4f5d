import { deleteDraft, type LetterDraft, listDrafts, saveDraft } from '#shared/contract/letters/drafts.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { clearDraft, saveDraft as keepHere, loadDraft } from '#web/lib/drafts/draft-store.ts';
import { type Mark, meetingOf } from './draft-sync.rules.ts';

/** Time between the last change and the upload to the vault. */
const pauseMs = 1_200;

/** One call after the other for each letter, so that none overtakes the one before it, also one of a page that was left. */
const turns = new Map<string, Promise<unknown>>();

export type DraftSyncOptions = {
  key: LetterDraft['key'];
  /** Words on the page. Undefined if they equal the saved ones. */
  current: () => string | undefined;
  /** Told when the vault had the newest; undefined while it has not. */
  onKept: (atMs: number | undefined) => void;
  /** Words of another device are to be shown in place of these. */
  onTake: (content: string) => void;
  /** These words were saved or discarded on another device. */
  onDrop: () => void;
  /** Both versions were changed, so the owner must choose. */
  onAsk: (other: LetterDraft) => void;
};

export type DraftSync = {
  /** Finds out what the vault has, once it is known what this device has. */
  open: () => Promise<void>;
  changed: () => void;
  /** This device's words go on, over those of the other. */
  choose: (which: 'these' | 'other') => void;
  /** Deletes the draft from the vault, from any device, and uploads nothing until the letter opens again. */
  withdraw: () => void;
  /** The letter was saved or discarded. Later changes from another device stay. */
  forget: () => void;
  /** The page is left: what waits goes at once. */
  leave: () => void;
  /** Nothing more goes from here, not even what waits. */
  stop: () => void;
};

/** Keeps a letter in the vault while it is written, on top of what it has read there and nothing else. */
export function createDraftSync(options: DraftSyncOptions): DraftSync {
  const { key, current, onKept, onTake, onDrop, onAsk } = options;
  const markName = `vault:message:${key}`;
  let isFollowing = false;
  let version = 0;
  let inVault: string | undefined;
  let other: LetterDraft | undefined;
  let isMarkedBehind = false;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isStopped = false;

  const inTurn = <Result>(act: () => Promise<Result>): Promise<Result> => {
    const next = (turns.get(key) ?? Promise.resolve()).then(act);
    turns.set(
      key,
      next.catch(() => undefined),
    );
    return next;
  };
  const remember = (mark: Mark): void => {
    isMarkedBehind = mark.isBehind;
    void (mark.version > 0 ? keepHere(markName, mark) : clearDraft(markName));
  };
  const has = (content: string | undefined, at: number): void => {
    inVault = content;
    version = at;
    remember({ version, isBehind: false });
  };
  const find = async (): Promise<LetterDraft | undefined> =>
    (await call(listDrafts, { query: { key } })).find(({ isDamaged }) => !isDamaged);

  const meet = async (mark: Mark | undefined, send: () => Promise<void> | void): Promise<void> => {
    const vault = await find();
    const device = current();
    const meeting = meetingOf({ device, vault, mark });
    isFollowing = meeting !== 'ask';
    if (meeting === 'ask' && vault) {
      other = vault;
      onAsk(vault);
      return;
    }
    if (meeting === 'drop') onDrop();
    if (meeting === 'take' && vault) onTake(vault.content);
    has(vault?.content, vault?.version ?? 0);
    if (meeting === 'same' && vault) onKept(Date.parse(vault.updatedAt));
    if (meeting === 'take') onKept(Date.now());
    if (meeting === 'send') await send();
  };

  const store = async ({ mayMeet }: { mayMeet: boolean }): Promise<void> => {
    const content = current();
    if (isStopped || !isFollowing || content === inVault) return;
    try {
      if (content === undefined) {
        await call(deleteDraft, { params: { key }, query: { version } });
        has(undefined, 0);
        return;
      }
      const saved = await call(saveDraft, { params: { key }, body: { content, version } });
      has(content, saved.version);
      onKept(Date.now());
    } catch (error) {
      onKept(undefined);
      const isOthers = error instanceof ApiError && error.type === 'CONFLICT';
      if (isOthers && mayMeet && !isStopped) await meet({ version, isBehind: true }, () => store({ mayMeet: false }));
    }
  };

  const storeSoon = (afterMs: number): void => {
    clearTimeout(timer);
    timer = setTimeout(() => {
      timer = undefined;
      void inTurn(() => store({ mayMeet: true })).catch(() => undefined);
    }, afterMs);
  };
  /** `whose`: this device's alone, which is what it wrote last, or whatever is there. */
  const remove = (whose: 'own' | 'any'): void => {
    clearTimeout(timer);
    timer = undefined;
    onKept(undefined);
    void inTurn(async () => {
      const query = whose === 'own' ? { version } : {};
      const isThere = whose === 'any' || version > 0;
      inVault = undefined;
      version = 0;
      void clearDraft(markName);
      if (isThere) await call(deleteDraft, { params: { key }, query });
    }).catch(() => undefined);
  };

  return {
    // Words typed before the first answer of the vault also wait for the pause, since a passphrase may be typed next.
    open: () =>
      inTurn(async () => meet(await loadDraft<Mark>(markName), () => storeSoon(pauseMs))).catch(() => undefined),
    changed: () => {
      if (!isMarkedBehind && version > 0) remember({ version, isBehind: true });
      onKept(undefined);
      if (isFollowing) storeSoon(pauseMs);
    },
    choose: (which) => {
      if (!other) return;
      isFollowing = true;
      has(other.content, other.version);
      if (which === 'other') {
        onTake(other.content);
        onKept(Date.now());
      } else storeSoon(0);
      other = undefined;
    },
    withdraw: () => {
      isFollowing = false;
      remove('any');
    },
    forget: () => remove('own'),
    leave: () => {
      if (timer === undefined) return;
      clearTimeout(timer);
      timer = undefined;
      void inTurn(() => store({ mayMeet: true })).catch(() => undefined);
    },
    stop: () => {
      isStopped = true;
      clearTimeout(timer);
      timer = undefined;
    },
  };
}
