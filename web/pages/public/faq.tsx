import { ReadingPage } from '#web/components/layout/reading-page.tsx';
import { withLinks } from '#web/components/ui/prose.tsx';
import { questionGroups } from '#web/content/faq.ts';
import { FaqList } from '#web/features/faq/faq-list.tsx';
import { supportEmail } from '#web/lib/support.ts';

/** Questions and answers. */
export function FaqPage() {
  return (
    <ReadingPage
      title="Frequently asked questions"
      intro={withLinks(`Short answers. If yours is missing, write to [${supportEmail}](mailto:${supportEmail}).`)}
    >
      <FaqList groups={questionGroups} />
    </ReadingPage>
  );
}
