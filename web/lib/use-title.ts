import { useEffect } from 'react';
import { productName } from '#shared/product.ts';

/** Names the document after the page. An error in a form is told first: `Error: Sign in – Everkept`. */
export function useTitle(title: string): void {
  useEffect(() => {
    document.title = `${title} – ${productName}`;
  }, [title]);
}
