import { useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import type { User } from '#shared/contract/accounts.ts';
import { NotConfirmedError } from '#web/components/fresh-sign-in/not-confirmed.ts';
import { useFreshSignIn } from '#web/components/fresh-sign-in/use-fresh-sign-in.tsx';
import { ApiError } from '#web/lib/api/api.ts';
import { sessionKey } from '#web/lib/session.ts';
import { toast } from '#web/lib/toast.ts';
import {
  type FieldErrors,
  type Wrong,
  wrongAccount,
  wrongContact,
  wrongMessage,
  wrongSettings,
} from './answer-faults.ts';
import {
  type Answers,
  emptyMessage,
  isBlank,
  type PartName,
  partNames,
  type StepName,
  stepFrom,
  withoutPart,
} from './answers.rules.ts';
import { alone } from './answers-store.ts';
import { finishSaving, openAccount } from './open-account.ts';
import { type Problem, problemIn, savePart } from './save-part.ts';
import type { AnswersState } from './use-answers.ts';
import { openedNotice, savedNotice, saveFailed } from './words.ts';

type WizardOptions = {
  user: User | null;
  state: AnswersState;
  /** Parts that need no form: they are in the vault. */
  done: readonly PartName[];
  /** Continues with a person who has just signed in here. */
  onSignedIn: (user: User) => void;
};

export type Wizard = ReturnType<typeof useWizard>;

/** Actions of the wizard's buttons. */
export function useWizard({ user, state, done, onSignedIn }: WizardOptions) {
  const client = useQueryClient();
  const { run, dialog } = useFreshSignIn('Go on');
  const { answers, change, current } = state;
  const found = useFound();
  const { errors, problem, refusals, setErrors, setProblem, isRight } = found;
  const { isBusy, work } = useOneAtATime();
  const { createAccount, finish } = useOpening({ user, state, onSignedIn, found, run });
  const savesAtOnce = user !== null && answers.form === 'owner';

  function goTo(step: StepName): void {
    found.clear();
    change({ step });
  }

  /** Saves a part in the vault, and says so. Gives whether it is there. */
  async function save(part: PartName): Promise<boolean> {
    setProblem(null);
    if (!isRight(wrongPart(part, current()))) return false;
    try {
      await run(() => alone(() => savePart(part, current())));
    } catch (error) {
      if (error instanceof NotConfirmedError) return false;
      toast(saveFailed);
      setProblem(problemIn(error));
      if (error instanceof ApiError && error.status === 401) client.invalidateQueries({ queryKey: sessionKey });
      return false;
    }
    toast(savedNotice(part, user?.emailVerified ?? false));
    change({ ...withoutPart(current(), part), isAddingMessage: part !== 'message' && current().isAddingMessage });
    await client.invalidateQueries();
    return true;
  }

  async function next(): Promise<void> {
    const part = partNames.find((name) => name === answers.step);
    if (part && !done.includes(part) && isFilledIn(part, current())) {
      const mayGoOn = savesAtOnce ? await save(part) : isRight(wrongPart(part, current()));
      if (!mayGoOn) return;
    }
    goTo(stepFrom(current(), 1));
  }

  return {
    answers,
    errors,
    /** Number of refusals; the focus moves to the fault at each. */
    refusals,
    problem,
    isBusy,
    /** Asks for a fresh sign-in; stands outside of any form. */
    dialog,
    savesAtOnce,
    change: (part: Partial<Answers>, field: string) => {
      const { [field]: _, ...others } = errors;
      setErrors(others);
      change(part);
    },
    previous: () => goTo(stepFrom(answers, -1)),
    goTo,
    next: () => work(next),
    save: (part: PartName) => work(async () => void (await save(part))),
    createAccount: (password: string) => work(() => createAccount(password)),
    finish: () => work(finish),
    addAnother: () => {
      setErrors({});
      change({ form: 'owner', step: 'message', message: emptyMessage, isAddingMessage: true });
    },
  };
}

/** One piece of work at a time, however often a button is pressed. */
function useOneAtATime() {
  const [isBusy, setBusy] = useState(false);
  const isWorking = useRef(false);

  async function work(act: () => Promise<void>): Promise<void> {
    if (isWorking.current) return;
    isWorking.current = true;
    setBusy(true);
    try {
      await act();
    } finally {
      isWorking.current = false;
      setBusy(false);
    }
  }

  return { isBusy, work };
}

/** Faults found in the answers, or by the service. */
function useFound() {
  const [errors, setErrors] = useState<FieldErrors>({});
  const [problem, setProblem] = useState<Problem | null>(null);
  const [refusals, setRefusals] = useState(0);

  function showErrors(found: FieldErrors): void {
    setErrors(found);
    if (Object.keys(found).length > 0) setRefusals((count) => count + 1);
  }

  /** True if a part is valid. Faults are shown beside its fields. */
  function isRight(wrong: Wrong): boolean {
    showErrors(wrong?.errors ?? {});
    if (wrong?.notice) toast({ ...wrong.notice, variant: 'destructive' });
    return wrong === null;
  }

  function clear(): void {
    setErrors({});
    setProblem(null);
  }

  return { errors, problem, refusals, setErrors, setProblem, showErrors, isRight, clear };
}

type OpeningOptions = Pick<WizardOptions, 'user' | 'state' | 'onSignedIn'> & {
  found: ReturnType<typeof useFound>;
  run: ReturnType<typeof useFreshSignIn>['run'];
};

/** The last step: an account for what a visitor has typed, and the rest of it once they have one. */
function useOpening({ user, state, onSignedIn, found, run }: OpeningOptions) {
  const client = useQueryClient();
  const { current, adopt } = state;
  const { setProblem, showErrors, isRight } = found;

  async function createAccount(password: string): Promise<void> {
    setProblem(null);
    const { account, contact } = current();
    if (!isRight(wrongAccount({ ...account, password }, contact.email))) return;
    await state.pause();
    const opening = await openAccount(current(), password);
    if (opening.state === 'open') {
      toast(opening.answers.problem === null ? openedNotice(opening.user.emailVerified) : saveFailed);
      // Nothing more is stored for the visitor: the answers belong to the account.
      onSignedIn(opening.user);
      return;
    }
    state.resume();
    toast(saveFailed);
    if (opening.state === 'taken') return setProblem({ text: takenText, saysItIsKept: true });
    showErrors(opening.errors);
    if (Object.keys(opening.errors).length === 0) setProblem(opening.problem);
  }

  async function finish(): Promise<void> {
    if (!user) return;
    await state.pause();
    const finished = await run(() => finishSaving(user.id, current())).catch(unlessNotConfirmed);
    if (!finished) return state.resume();
    adopt(finished);
    await client.invalidateQueries();
    toast(finished.problem === null ? openedNotice(user.emailVerified) : saveFailed);
  }

  return { createAccount, finish };
}

const takenText =
  'There may already be an account with this address, and with another password. Nothing was saved, and ' +
  'everything you typed is still here. If the account is yours, type its password and press Create Account again. If ' +
  'it is not, use another address.';

/** Null if the person cancelled the proof of identity. */
function unlessNotConfirmed(error: unknown): null {
  if (error instanceof NotConfirmedError) return null;
  throw error;
}

function wrongPart(part: PartName, { settings, contact, message }: Answers): Wrong {
  if (part === 'settings') return wrongSettings(settings);
  return part === 'contact' ? wrongContact(contact) : wrongMessage(message);
}

/**
 * True if Continue has something to save. An empty contact or message may wait. Settings are always saved as shown,
 * though the account starts with another period.
 */
function isFilledIn(part: PartName, { contact, message }: Answers): boolean {
  if (part === 'settings') return true;
  return !isBlank(part === 'contact' ? contact : message);
}
