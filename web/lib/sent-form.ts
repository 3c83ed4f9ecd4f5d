import type { FieldValues, UseFormHandleSubmit } from 'react-hook-form';

type SendOptions<Answers> = {
  /** Whether it is on its way already: a second press sends nothing. */
  isSending: boolean;
  send: (answers: Answers) => void;
  /** Told whether something typed is wrong, when somebody tries to send it. */
  onErrors: (hasErrors: boolean) => void;
};

/** What a form does when it is submitted: it is sent once at a time, and not while something in it is wrong. */
export function sendOnce<Values extends FieldValues, Answers>(
  handleSubmit: UseFormHandleSubmit<Values, Answers>,
  { isSending, send, onErrors }: SendOptions<Answers>,
): ReturnType<UseFormHandleSubmit<Values, Answers>> {
  return handleSubmit(
    (answers) => {
      onErrors(false);
      if (!isSending) send(answers);
    },
    () => onErrors(true),
  );
}
