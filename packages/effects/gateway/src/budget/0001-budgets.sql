-- Budgets shared by gateways. Amounts are billionths of a dollar. What is neither spent nor leased is free.

create table gateway_budgets (
  name text primary key,
  limit_nusd bigint not null check (limit_nusd >= 0),
  spent_nusd bigint not null default 0 check (spent_nusd >= 0),
  leased_nusd bigint not null default 0 check (leased_nusd >= 0),
  wanted_until timestamptz not null default '-infinity'
);

-- Money that one gateway may spend without asking. `left_nusd` is what of it has not been reported as spent. The last report is kept with
-- its answer: one that is sent again because its answer was lost is not booked again.
create table gateway_leases (
  budget text not null references gateway_budgets (name) on delete cascade,
  gateway text not null,
  left_nusd bigint not null default 0 check (left_nusd >= 0),
  report bigint not null default 0,
  granted_nusd bigint not null default 0,
  expires_at timestamptz not null default now(),
  primary key (budget, gateway)
);

-- Reports, gives back, renews and asks, in one step under the lock of the budget's row: `used` out of the lease is spent, `returned` is free
-- again, and at least `need`, at most `wish`, is added where there is so much. One who gets nothing makes the others give back what lies idle.
create function gateway_report(
  of_budget text, by_gateway text, report_number bigint, used bigint, returned bigint, need bigint, wish bigint, lease_s double precision
) returns table (held bigint, granted bigint, spent bigint, leased bigint, bound bigint, wanted boolean) language plpgsql as $$
declare
  b gateway_budgets;
  l gateway_leases;
  gone bigint;
  given bigint := 0;
begin
  select * into b from gateway_budgets where name = of_budget for update;
  if not found then return; end if;
  insert into gateway_leases (budget, gateway) values (of_budget, by_gateway) on conflict do nothing;
  -- Leases that nobody renewed. What was spent out of them and not reported yet is the bound of overspend that the gateway states.
  with taken as (
    update gateway_leases new set left_nusd = 0 from gateway_leases old
     where new.budget = of_budget and new.expires_at < now() and new.left_nusd > 0 and old.budget = new.budget and old.gateway = new.gateway
    returning old.left_nusd
  ) select coalesce(sum(left_nusd), 0) into gone from taken;
  b.leased_nusd := b.leased_nusd - gone;
  select * into l from gateway_leases where budget = of_budget and gateway = by_gateway;
  if l.report < report_number then
    gone := least(l.left_nusd, used + returned);
    l.left_nusd := l.left_nusd - gone;
    b.leased_nusd := b.leased_nusd - gone;
    b.spent_nusd := b.spent_nusd + used;
    if need > 0 and b.limit_nusd - b.spent_nusd - b.leased_nusd >= need then
      -- An eighth of what is left: the lease of one gateway shrinks as the end comes near, down to single requests.
      given := greatest(need, least(wish, (b.limit_nusd - b.spent_nusd - b.leased_nusd) / 8));
    elsif need > 0 then
      b.wanted_until := now() + interval '1 second';
    end if;
    l.left_nusd := l.left_nusd + given;
    b.leased_nusd := b.leased_nusd + given;
    l.granted_nusd := given;
  end if;
  update gateway_budgets set spent_nusd = b.spent_nusd, leased_nusd = b.leased_nusd, wanted_until = b.wanted_until where name = of_budget;
  update gateway_leases set left_nusd = l.left_nusd, granted_nusd = l.granted_nusd, report = report_number,
         expires_at = now() + make_interval(secs => lease_s)
   where budget = of_budget and gateway = by_gateway;
  return query select l.left_nusd, l.granted_nusd, b.spent_nusd, b.leased_nusd, b.limit_nusd, b.wanted_until > now();
end
$$;
