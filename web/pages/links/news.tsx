import { useParams } from 'wouter';
import { Letterhead } from '#web/components/layout/letterhead.tsx';
import { UnreachableNotice } from '#web/components/layout/notice.tsx';
import { NewsCard, NewsLinkDead, NewsSkeleton } from '#web/features/news/news-card.tsx';
import { useChooseNews, useNewsChoice } from '#web/features/news/use-news.ts';
import { isFinal } from '#web/lib/api/use-loaded.ts';

/** Page of the link at the foot of a news mail. Only its button changes anything, because mail scanners open links. */
export function NewsPage() {
  const { token = '' } = useParams<{ token?: string }>();
  return (
    <Letterhead>
      <LinkedChoice token={token} />
    </Letterhead>
  );
}

function LinkedChoice({ token }: { token: string }) {
  const { data, error, reload } = useNewsChoice(token);
  const { choose, ...state } = useChooseNews(token);
  const choice = state.chosen ?? data;
  if (choice) return <NewsCard choice={choice} state={state} onChoose={choose} />;
  if (error === null) return <NewsSkeleton />;
  if (isFinal(error)) return <NewsLinkDead />;
  return <UnreachableNotice message={error.message} onRetry={reload} />;
}
