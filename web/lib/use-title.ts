import { useContext, useEffect } from 'react';
import { productName } from '#shared/product.ts';
import { SentAnswers } from '#web/lib/api/sent-context.ts';

/** Names the document after the page. If a form has an error, it comes first: `Error: Sign in – Everkept`. */
export function useTitle(title: string): void {
  const whole = `${title} – ${productName}`;
  useContext(SentAnswers).name?.(whole);
  useEffect(() => {
    document.title = whole;
  }, [whole]);
}
