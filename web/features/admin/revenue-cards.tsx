import type { Revenue } from '#shared/contract/admin.ts';
import { Card } from '#web/components/ui/card.tsx';
import { LoadError } from '#web/components/ui/empty.tsx';
import { Skeleton } from '#web/components/ui/skeleton.tsx';
import { money } from '#web/lib/format.ts';
import { useRevenue } from './admin-data.ts';
import { chartBars, chartSize, chartTop } from './revenue-chart.rules.ts';

const pencePerPound = 100;
const pounds = (value: number) => money(Math.round(value * pencePerPound));
const monthFormat = new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' });
const shortMonthFormat = new Intl.DateTimeFormat('en-GB', { month: 'short', timeZone: 'UTC' });
/** Some engines write "Sept"; three letters line up. */
const shortMonth = (month: string) => shortMonthFormat.format(firstDayOf(month)).slice(0, 3);
const firstDayOf = (month: string) => new Date(`${month}-01T00:00:00Z`);

/** The four figures of the service, and what each of the last twelve months brought. */
export function RevenueCards() {
  const { data, isError, refetch } = useRevenue();
  if (data) return <Figures revenue={data} />;
  if (isError) return <LoadError title="Failed to fetch revenue data" onRetry={() => refetch()} />;
  return (
    <div className="stack" role="status" aria-label="Loading the figures">
      <div className="cards">
        {['users', 'month', 'upgrades', 'average'].map((card) => (
          <div className="card" key={card}>
            <Skeleton width="60%" />
            <Skeleton width="40%" height="3rem" />
          </div>
        ))}
      </div>
      <Skeleton height="16rem" />
    </div>
  );
}

function Figures({ revenue }: { revenue: Revenue }) {
  const { totalUsers, totalMonthlyRevenue, accountUpgrades, averageLifetimeValue, months } = revenue;
  return (
    <>
      <section aria-label="The service">
        <div className="cards">
          <Stat label="Total users" figure={totalUsers.toLocaleString('en-GB')} note="Accounts there are" />
          <Stat
            label="Monthly revenue"
            figure={pounds(totalMonthlyRevenue)}
            note="Active subscriptions; annual ones by a twelfth"
          />
          <Stat
            label="Upgrades"
            figure={accountUpgrades.toLocaleString('en-GB')}
            note="Accounts that went from free to paid"
          />
          <Stat
            label="Lifetime value"
            figure={pounds(averageLifetimeValue)}
            note="On average, of those who ever paid"
          />
        </div>
      </section>
      <RevenueChart months={months} />
    </>
  );
}

function Stat({ label, figure, note }: { label: string; figure: string; note: string }) {
  return (
    <div className="card stat">
      <span className="stat-l">{label}</span>
      <span className="stat-n">{figure}</span>
      <span className="stat-d">{note}</span>
    </div>
  );
}

/** Bars for those who see them, and a table for everybody. */
function RevenueChart({ months }: Pick<Revenue, 'months'>) {
  const top = chartTop(months.map(({ received }) => received));
  return (
    <Card as="section" className="stack" aria-labelledby="revenue-chart">
      <h2 className="h-card" id="revenue-chart">
        Received in the last twelve months
      </h2>
      {top === 0 ? <p>Nothing was received in these months.</p> : <Bars months={months} />}
      <details className="admin-chart-table">
        <summary>Show the figures</summary>
        <table className="admin-table">
          <caption className="vh">Received in each of the last twelve months</caption>
          <thead>
            <tr>
              <th scope="col">Month</th>
              <th scope="col" className="admin-figure">
                Received
              </th>
            </tr>
          </thead>
          <tbody>
            {months.toReversed().map(({ month, received }) => (
              <tr key={month}>
                <th scope="row">{monthFormat.format(firstDayOf(month))}</th>
                <td className="admin-figure">{pounds(received)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </Card>
  );
}

function Bars({ months }: Pick<Revenue, 'months'>) {
  const values = months.map(({ received }) => received);
  const { width, height } = chartSize;
  return (
    <div className="admin-chart" aria-hidden="true">
      <span className="admin-chart-top">{pounds(chartTop(values))}</span>
      <svg viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true" focusable="false">
        {chartBars(values).map((bar, index) => (
          <rect key={months[index]?.month} {...bar} />
        ))}
      </svg>
      <div className="admin-chart-months">
        {months.map(({ month }) => (
          <span key={month}>
            {shortMonth(month).charAt(0)}
            <span>{shortMonth(month).slice(1)}</span>
          </span>
        ))}
      </div>
    </div>
  );
}
