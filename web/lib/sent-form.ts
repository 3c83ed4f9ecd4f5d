import { type BaseSyntheticEvent, useEffect, useRef } from 'react';
import type { FieldValues, UseFormHandleSubmit } from 'react-hook-form';

type SendOptions<Answers> = {
  /** Its failure is shown elsewhere. */
  send: (answers: Answers) => Promise<unknown>;
  /** Called on each attempt to send, with true if a field is invalid. */
  onErrors: (hasErrors: boolean) => void;
};

/**
 * Submit handler of a form: sends it once at a time, and only if it is valid. A second press before the answer is
 * ignored. Validation may have to load first, and a form that has unmounted by then sends nothing.
 */
export function useSendOnce<Values extends FieldValues, Answers>(
  handleSubmit: UseFormHandleSubmit<Values, Answers>,
  { send, onErrors }: SendOptions<Answers>,
): (event: BaseSyntheticEvent) => Promise<void> {
  const isOnItsWay = useRef(false);
  const isThere = useRef(true);
  useEffect(() => {
    isThere.current = true;
    return () => {
      isThere.current = false;
    };
  }, []);

  const submit = handleSubmit(
    async (answers) => {
      if (!isThere.current) return;
      onErrors(false);
      await send(answers).catch(() => undefined);
    },
    () => {
      if (isThere.current) onErrors(true);
    },
  );
  return async (event) => {
    event.preventDefault();
    if (isOnItsWay.current) return;
    isOnItsWay.current = true;
    await submit(event).finally(() => {
      isOnItsWay.current = false;
    });
  };
}
