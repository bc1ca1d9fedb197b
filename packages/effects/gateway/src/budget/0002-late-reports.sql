-- A report that was thought lost and is carried out late must not take back the number of the last one: the next that is sent again would be
-- booked twice. The function is as before but for that number.

create or replace function gateway_report(
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
  update gateway_leases set left_nusd = l.left_nusd, granted_nusd = l.granted_nusd, report = greatest(report, report_number),
         expires_at = now() + make_interval(secs => lease_s)
   where budget = of_budget and gateway = by_gateway;
  return query select l.left_nusd, l.granted_nusd, b.spent_nusd, b.leased_nusd, b.limit_nusd, b.wanted_until > now();
end
$$;
