import { useContext, useEffect } from 'react';
import { productName } from '#shared/product.ts';
import { SentAnswers } from '#web/lib/api/sent-context.ts';

/** Names the document after the page. An error in a form is told first: `Error: Sign in – Everkept`. */
export function useTitle(title: string): void {
  const whole = `${title} – ${productName}`;
  useContext(SentAnswers).name?.(whole);
  useEffect(() => {
    document.title = whole;
  }, [whole]);
}
