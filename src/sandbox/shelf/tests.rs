use super::{
    super::{
        random::{self, Random, Topic},
        times::{Times, time},
    },
    *,
};

const SEED: u64 = 3;

/// What a shelf is to hold: identifier, time, and what distinguishes a changed record.
type Model = Vec<(Place, Uuid, u64)>;

fn found(shelf: &Shelf<(Uuid, u64)>, slots: impl Iterator<Item = Slot<(Uuid, u64)>>) -> Model {
    let record = |slot: &Slot<(Uuid, u64)>| match slot {
        Slot::Made(index) => (random::id(SEED, Topic::Profile, shelf.timeline.number(*index)), 0),
        Slot::Inserted(_, record) => **record,
    };
    slots.map(|slot| (shelf.place_of(&slot), record(&slot).0, record(&slot).1)).collect()
}

#[test]
fn a_shelf_is_a_sorted_list_whatever_is_inserted_and_moved() {
    for times in [Times::Uniform, Times::Equal, Times::OneSecond] {
        let now = time(1_000_000_000_000_000_000);
        let shelf = Shelf::new(Timeline::new(SEED, times, 60, now), 60);
        let mut random = Random::new(SEED, Topic::Chaos, 0);
        let mut model = found(&shelf, shelf.all());
        assert_eq!(model.len(), 60);
        for version in 1..=300 {
            let some = random.position(model.len());
            let near = model[random.position(model.len())].0.time;
            let time = near + i128::from(random.below(3)) - 1;
            let is_new = random.one_in(3);
            let id = if is_new { random.uuid() } else { model[some].1 };
            let made = random::index_of(SEED, Topic::Profile, id)
                .and_then(|number| shelf.timeline.index(number));

            shelf.insert(id, time, made, (id, version));

            let rank = if is_new {
                model.iter().map(|entry| entry.0.rank).max().unwrap().max(FIRST_RANK) + 1
            } else {
                model.remove(some).0.rank
            };
            model.push((Place { time, rank }, id, version));
            model.sort_unstable();
            if version % 50 == 0 {
                shelf.add(1);
                let added = found(&shelf, shelf.all()).into_iter().filter(|entry| entry.2 == 0);
                model.extend(added.filter(|entry| entry.0.rank >= 60 + version / 50 - 1));
                model.sort_unstable();
            }
            assert!(found(&shelf, shelf.all()) == model, "{times:?} {version}");

            let (first, last) = (model[random.position(model.len())].0.time, near);
            let span = Span { first: first.min(last), last: first.max(last) };
            let after = random.one_in(2).then(|| model[random.position(model.len())].0);
            let within = |place: &Place| (span.first..=span.last).contains(&place.time);
            let mut expected = model.clone();
            expected.retain(|(place, ..)| within(place) && after.is_none_or(|a| *place > a));
            assert!(found(&shelf, shelf.slice(span, after, false)) == expected, "{times:?}");
            let mut expected = model.clone();
            expected.retain(|(place, ..)| within(place) && after.is_none_or(|a| *place < a));
            expected.reverse();
            assert!(found(&shelf, shelf.slice(span, after, true).rev()) == expected);
        }
    }
}
