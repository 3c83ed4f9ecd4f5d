import { useRef, useState } from 'react';
import {
  answerNewAddress,
  getNewAddress,
  type NewAddressPage,
  proposeNewAddress,
} from '#shared/contract/release/new-address.ts';
import { ApiError, call } from '#web/lib/api/api.ts';
import { useSentFields } from '#web/lib/api/sent-answers.ts';
import { useLinkRead, usePressed } from '#web/lib/api/use-link-read.ts';

type Proposed = { letterId: string; address: string; reason: string };
type Answered = { letterId: string; address: string; agrees: boolean };

export type NewAddressActions = {
  /** The letter whose press is under way. */
  busyWith: string | null;
  /** Reason why the last press failed, and its letter. */
  failure: { letterId: string; message: string } | null;
  propose(given: Proposed): Promise<void>;
  answer(given: Answered): Promise<void>;
};

/**
 * Recipients that a release could not reach, with a contact's possible actions. Nothing is stored after the page is
 * left.
 */
export function useNewAddress(token: string) {
  const params = { token };
  const loaded = useLinkRead(getNewAddress, params);
  const [changed, setChanged] = useState<NewAddressPage | null>(null);
  const [busyWith, setBusyWith] = useState<string | null>(null);
  const [failure, setFailure] = useState<NewAddressActions['failure']>(usePressedFailure(params));
  const isBusy = useRef(false);

  async function press(letterId: string, send: () => Promise<NewAddressPage>): Promise<void> {
    if (isBusy.current) return;
    isBusy.current = true;
    setBusyWith(letterId);
    setFailure(null);
    try {
      setChanged(await send());
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      setFailure({ letterId, message: error.message });
      // Another contact may have pressed meanwhile, so the page is read again.
      setChanged(null);
      loaded.reload();
    } finally {
      isBusy.current = false;
      setBusyWith(null);
    }
  }

  const actions: NewAddressActions = {
    busyWith,
    failure,
    propose: (body) => press(body.letterId, () => call(proposeNewAddress, { params, body })),
    answer: (body) => press(body.letterId, () => call(answerNewAddress, { params, body })),
  };
  return { page: changed ?? loaded.data, error: loaded.error, reload: loaded.reload, actions };
}

/** Refusal of a form that was sent without scripts; null if none was refused. */
function usePressedFailure(params: { token: string }): NewAddressActions['failure'] {
  const { letterId = '' } = useSentFields();
  const proposed = usePressed(proposeNewAddress, params);
  const answered = usePressed(answerNewAddress, params);
  const error = proposed?.error ?? answered?.error;
  return error ? { letterId, message: error.message } : null;
}
