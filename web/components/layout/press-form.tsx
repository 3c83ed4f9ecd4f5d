import type { FormEvent, ReactNode } from 'react';

type PressFormProps = {
  /** Called with the value of the pressed button. */
  onPress: (value: string) => void;
  /** `get` where it is enough to see the page again. */
  method?: 'get' | 'post';
  /** Address that the browser posts to; the page's own by default. */
  action?: string | undefined;
  className?: string | undefined;
  children: ReactNode;
};

/** The name under which a form tells which of its buttons was pressed. */
export const pressName = 'press';

/**
 * Buttons that work without scripts: then the browser posts the form to the address of the page. A button that stands for
 * something has the name `pressName` and a value. The service checks fields: browsers refuse email addresses that we accept.
 */
export function PressForm({ onPress, method = 'post', action, className, children }: PressFormProps) {
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const { submitter } = event.nativeEvent as SubmitEvent;
    // Without a button the answer is unknown.
    if (submitter instanceof HTMLButtonElement) onPress(submitter.value);
  };
  return (
    <form method={method} action={action} className={className} noValidate onSubmit={submit}>
      {children}
    </form>
  );
}
