//! The hand-written HVX samples: every record has the listed outcome, both readings of an instruction agree,
//! and evaluation gives the hand-computed results.

use crate::hexagon_support::{Sample, bytes, halves, int, repeat, words};
use hydride_ir::Function;
use hydride_ir::exact::Int;
use parsers::errata::{Errata, State};
use parsers::hexagon::{Options, VectorLength, parse, parse_manual};
use parsers::{Elements, Instruction, Kind, Parsed, Severity, Status};

fn both() -> [Options; 2] {
    [VectorLength::Bytes64, VectorLength::Bytes128].map(|vector_length| Options { vector_length })
}

fn sample(options: &Options) -> Parsed {
    parse(&Sample::read().documents(), options)
}

fn function<'a>(parsed: &'a Parsed, id: &str) -> &'a Function {
    let found = parsed.instructions.iter().find(|instruction| instruction.id == id);
    &found.unwrap_or_else(|| panic!("{id} is not modelled")).function
}

fn run(id: &str, args: &[Int]) -> Vec<Int> {
    let parsed = sample(&Options::default());
    crate::hexagon_support::evaluate(function(&parsed, id), args)
}

#[test]
fn every_record_ends_as_listed() {
    let excluded = [
        ("V6_vS32b_srls_ai", "memory"),
        ("V6_vscattermh_add", "memory"),
        ("V6_vhist", "histogram"),
        ("V6_vadd_hf", "floating-point"),
        ("V6_vadd_sf", "floating-point"),
        ("V6_vgathermh", "memory"),
        ("V6_vandqrt", "no-pseudocode"),
        ("V6_vandvrt", "no-pseudocode"),
        ("V6_vmpyuhvs", "no-pseudocode"),
    ];
    for options in both() {
        let parsed = sample(&options);
        assert_eq!(parsed.diagnostics, []);
        for line in &parsed.ledger {
            let expected = excluded.iter().find(|(id, _)| *id == line.id);
            match (&line.status, expected) {
                (Status::Modelled, None) => {}
                (Status::Excluded { reason, .. }, Some((_, expected))) => {
                    assert_eq!(reason, expected, "{}", line.id)
                }
                other => panic!("{}: {other:?}", line.id),
            }
        }
        assert_eq!(parsed.instructions.len() + excluded.len(), parsed.ledger.len());
        assert_eq!(parsed.ledger.len(), 62);
        assert!(parsed.instructions.iter().all(|instruction| instruction.undefined.is_empty()));
        let mut ids: Vec<&str> = parsed.ledger.iter().map(|line| line.id.as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), parsed.ledger.len(), "an id has two lines");
    }
}

#[test]
fn printed_functions_can_be_parsed() {
    for instruction in sample(&Options::default()).instructions {
        instruction.function.verify().expect("a lawful function");
        let text = instruction.function.to_string();
        let parsed = Function::parse(&text).expect("printed text");
        assert_eq!(parsed.to_string(), text);
    }
}

#[test]
fn errata_correct_the_manual() {
    let sample = Sample::read();
    let mut documents = sample.documents();
    let erratum = |entry: &str, was: &str, now: &str| {
        format!(
            "[[erratum]]\nentry = \"{entry}\"\nfragment = [{{ of = \"pseudocode\", was = \"{was}\", now = \"{now}\" \
             }}]\nevidence = {{ cpu = \"one\", inputs = 10 }}\nnote = \"own\"\n"
        )
    };
    let text = [
        erratum("V6_vaddb", "= sum;", "= sum - 1;"),
        erratum("V6_vaddb", "nowhere", ""),
        erratum("V6_of_another_edition", "a", ""),
    ];
    let errata = Errata::parse("own.toml", &text.concat(), |_| String::new()).expect("legal errata");
    documents.errata = Some(&errata);
    let parsed = parse_manual(&documents, &Options::default());
    let states: Vec<&State> = parsed.errata.iter().map(|done| &done.state).collect();
    let stale = State::Stale("there is no `nowhere` in `pseudocode`".to_owned());
    assert_eq!(states, [&State::Applied, &stale, &State::NoEntry]);
    // The semantics file has the entry, so that the manual's record is not used.
    let all = parse(&documents, &Options::default());
    let states: Vec<&State> = all.errata.iter().map(|done| &done.state).collect();
    assert_eq!(states, [&State::Unread, &stale, &State::NoEntry]);
    let sums =
        parsed.instructions.iter().find(|instruction| instruction.id == "V6_vaddb").expect("it is there");
    let ones = hydride_ir::Bits::from_u64(1024, 1);
    let results = crate::hexagon_support::evaluate_bits(&sums.function, &[ones.clone(), ones]);
    assert_eq!(results[0].words()[0] & 0xffff, 0xff01, "2 - 1, then 0 - 1");
    let told: Vec<String> =
        parsed.diagnostics.iter().map(|found| format!("{}:{}", found.span.file, found.message)).collect();
    assert_eq!(told, ["own.toml:an erratum no longer applies: there is no `nowhere` in `pseudocode`"]);
}

#[test]
fn errata_make_no_field_endless() {
    let sample = Sample::read();
    let mut documents = sample.documents();
    let doubled = "[[erratum]]\nentry = \"V6_vaddb\"\nfragment = [{ of = \"pseudocode\", was = \"n\", now = \"nn\" }]\n\
                   evidence = { undefined = \"own\" }\nnote = \"own\"\n";
    let errata = Errata::parse("own.toml", &doubled.repeat(60), |_| String::new()).expect("legal errata");
    documents.errata = Some(&errata);
    let parsed = parse_manual(&documents, &Options::default());
    let long = State::Stale("`pseudocode` becomes longer than 1048576 bytes".to_owned());
    assert_eq!(parsed.errata.first().map(|done| &done.state), Some(&State::Applied));
    assert_eq!(parsed.errata.last().map(|done| &done.state), Some(&long));
}

#[test]
fn signatures_come_from_the_prototypes() {
    let parsed = sample(&Options::default());
    let find = |id: &str| parsed.instructions.iter().find(|instruction| instruction.id == id).expect(id);
    let carry = find("V6_vaddcarry");
    assert_eq!(carry.intrinsic, "Q6_Vw_vadd_VwVwQ_carry");
    assert_eq!(carry.extensions, ["hvxv62"]);
    let shape = |list: &[parsers::Argument]| -> Vec<(String, u32, String)> {
        list.iter().map(|argument| (argument.name.clone(), argument.width, argument.c_type.clone())).collect()
    };
    let [vector, mask] = [("HVX_Vector", 1024), ("HVX_VectorPred", 128)];
    let of = |name: &str, (c_type, width): (&str, u32)| (name.to_owned(), width, c_type.to_owned());
    assert_eq!(shape(&carry.signature.args), [of("Vu", vector), of("Vv", vector), of("Qx", mask)]);
    assert_eq!(shape(&carry.signature.results), [of("Vd", vector), of("Qx", mask)]);
    let multiply = find("V6_vrmpyubi");
    assert_eq!(multiply.signature.args[2].kind, Kind::Immediate(parsers::Immediate { low: 0, high: 1 }));
    assert_eq!(
        multiply.signature.args[0].element.map(|element| (element.width, element.signed)),
        Some((8, false))
    );
    assert_eq!(multiply.forms[0].mnemonic, "VRMPY");
    let conditional = find("V6_vaddbq");
    let names: Vec<&str> = conditional.signature.args.iter().map(|argument| argument.name.as_str()).collect();
    assert_eq!(names, ["Qv", "Vx", "Vu"]);
    let without = find("V6_vaddcarryo");
    assert_eq!((without.intrinsic.as_str(), without.signature.results.len()), ("", 2));
}

#[test]
fn sums_wrap_or_saturate() {
    let (a, b) = (repeat(&[0xff, 0x80, 0x7f, 1], 128), repeat(&[2, 0x80, 1, 1], 128));
    assert_eq!(run("V6_vaddb", &[bytes(&a), bytes(&b)]), [bytes(&repeat(&[1, 0, 0x80, 2], 128))]);
    assert_eq!(run("V6_vaddubsat", &[bytes(&a), bytes(&b)]), [bytes(&repeat(&[0xff, 0xff, 0x80, 2], 128))]);
}

#[test]
fn means_round_as_they_say() {
    let (a, b) = (repeat(&[0xff, 1, 0, 5], 128), repeat(&[0xff, 2, 1, 5], 128));
    assert_eq!(run("V6_vavgub", &[bytes(&a), bytes(&b)]), [bytes(&repeat(&[0xff, 1, 0, 5], 128))]);
    assert_eq!(run("V6_vavgubrnd", &[bytes(&a), bytes(&b)]), [bytes(&repeat(&[0xff, 2, 1, 5], 128))]);
}

#[test]
fn products_of_even_and_odd_bytes_fill_a_pair() {
    let (a, b) = (repeat(&[0xff, 2], 128), repeat(&[0xff, 7], 128));
    let expected: Vec<u16> = std::iter::repeat_n(0xfe01, 64).chain(std::iter::repeat_n(14, 64)).collect();
    assert_eq!(run("V6_vmpyubv", &[bytes(&a), bytes(&b)]), [halves(&expected)]);
}

#[test]
fn accumulators_are_arguments() {
    // 10·2 + 200·(-1) = -180 and, from the upper half of Rt, 10·3 + 200·1 = 230, added to 1.
    let (u, scalar) = (repeat(&[10, 200], 128), int(0x0103_ff02));
    let one = halves(&[1; 64]);
    let expected: Vec<u16> = (0..64).map(|lane| if lane % 2 == 0 { 0xff4d } else { 231 }).collect();
    assert_eq!(run("V6_vdmpybus_acc", &[one, bytes(&u), scalar]), [halves(&expected)]);
}

#[test]
fn reductions_slide_with_their_immediate() {
    let low = repeat(&[1, 2, 3, 4], 128);
    let high = repeat(&[5, 6, 7, 8], 128);
    let pair = bytes(&[low, high].concat());
    let scalar = int(0x281e_140a); // bytes 10, 20, 30, 40
    let twice = |first: u32, second: u32| {
        let lanes: Vec<u32> = std::iter::repeat_n(first, 32).chain(std::iter::repeat_n(second, 32)).collect();
        words(&lanes)
    };
    // 1·10 + 2·20 + 3·30 + 4·40; 3·10 + 5·30 + 6·40 + 4·20
    assert_eq!(run("V6_vrmpyubi", &[pair.clone(), scalar.clone(), int(0)]), [twice(300, 500)]);
    // 5·40 + 2·10 + 3·20 + 4·30; 7·40 + 5·20 + 6·30 + 4·10
    assert_eq!(run("V6_vrmpyubi", &[pair, scalar, int(1)]), [twice(400, 600)]);
}

#[test]
fn narrowing_shifts_round_and_saturate() {
    let (u, v) = (halves(&[0x7fff; 64]), halves(&[0xfff8; 64]));
    let expected = |even: u8, odd: u8| [bytes(&repeat(&[even, odd], 128))];
    assert_eq!(run("V6_vasrhubsat", &[u.clone(), v.clone(), int(4)]), expected(0, 0xff));
    assert_eq!(run("V6_vasrhubrndsat", &[halves(&[24; 64]), halves(&[23; 64]), int(4)]), expected(1, 2));
    assert_eq!(run("V6_vasrhubrndsat", &[u, v, int(8)]), expected(0, 0xff));
}

#[test]
fn shifts_by_a_negative_count_go_the_other_way() {
    let counts: Vec<u16> = [1, 0xffff, 15, 0xfff0].repeat(16);
    let expected: Vec<u16> = [0x0202, 0xc080, 0x8000, 0xffff].repeat(16);
    let values: Vec<u16> = [0x8101, 0x8101, 0x8101, 0x8101].repeat(16);
    assert_eq!(run("V6_vaslhv", &[halves(&values), halves(&counts)]), [halves(&expected)]);
}

#[test]
fn predicates_have_a_bit_for_each_byte() {
    let (a, b) = (repeat(&[1, 0xff, 5, 0x80], 128), repeat(&[0, 0, 5, 0x7f], 128));
    let every_fourth = int(0x1111_1111_1111_1111_1111_1111_1111_1111);
    assert_eq!(run("V6_vgtb", &[bytes(&a), bytes(&b)]), std::slice::from_ref(&every_fourth));
    let all = int(u128::MAX);
    assert_eq!(run("V6_pred_or_n", &[int(0), int(0)]), std::slice::from_ref(&all));
    assert_eq!(
        run("V6_pred_or_n", &[every_fourth.clone(), all.clone()]),
        std::slice::from_ref(&every_fourth)
    );
    assert_eq!(run("V6_pred_and", &[every_fourth.clone(), all]), std::slice::from_ref(&every_fourth));
    let (x, u) = (repeat(&[1], 128), repeat(&[2], 128));
    let sum = |id: &str| run(id, &[every_fourth.clone(), bytes(&x), bytes(&u)]);
    assert_eq!(sum("V6_vaddbq"), [bytes(&repeat(&[3, 1, 1, 1], 128))]);
    assert_eq!(sum("V6_vaddbnq"), [bytes(&repeat(&[1, 3, 3, 3], 128))]);
    let counts: Vec<u8> = (0..128).map(|byte| byte / 4 + 1).collect();
    assert_eq!(run("V6_vprefixqb", &[every_fourth]), [bytes(&counts)]);
}

#[test]
fn carries_come_in_and_go_out() {
    let (a, b) = (words(&[0xffff_ffff, 1].repeat(16)), words(&[1, 1].repeat(16)));
    let carry_in = int(0x1111_1111_1111_1111_1111_1111_1111_1111);
    let sum = words(&[1, 3].repeat(16));
    let carry_out = int(0x0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f_0f0f);
    assert_eq!(run("V6_vaddcarry", &[a.clone(), b.clone(), carry_in]), [sum, carry_out.clone()]);
    assert_eq!(run("V6_vaddcarryo", &[a, b]), [words(&[0, 2].repeat(16)), carry_out]);
}

#[test]
fn bytes_are_rotated_and_aligned() {
    let u: Vec<u8> = (0..128).collect();
    let v: Vec<u8> = (128..=255).collect();
    let rotated: Vec<u8> = (0..128).map(|byte| (byte + 3) % 128).collect();
    assert_eq!(run("V6_vror", &[bytes(&u), int(128 + 3)]), [bytes(&rotated)]);
    let both = [v.clone(), u.clone()].concat();
    let args = |count: u128| [bytes(&u), bytes(&v), int(count)];
    assert_eq!(run("V6_valignb", &args(5)), [bytes(&both[5..133])]);
    assert_eq!(run("V6_valignb", &args(0)), [bytes(&v)]);
    assert_eq!(run("V6_vlalignbi", &args(5)), [bytes(&both[123..251])]);
    assert_eq!(run("V6_vlalignbi", &args(0)), [bytes(&u)]);
}

#[test]
fn pairs_are_shuffled_by_the_bits_of_a_scalar() {
    let u: Vec<u8> = (128..=255).collect();
    let v: Vec<u8> = (0..128).collect();
    let shuffle = |count: u32| run("V6_vshuffvdd", &[bytes(&u), bytes(&v), int(count.into())]);
    assert_eq!(shuffle(0), [bytes(&[v.clone(), u.clone()].concat())]);
    // All bits set interleave the bytes of both.
    let interleaved: Vec<u8> = (0..128).flat_map(|byte| [byte, byte + 128]).collect();
    assert_eq!(shuffle(u32::MAX), [bytes(&interleaved)]);
    // A butterfly stage whose control bit is set everywhere exchanges neighbours at its distance.
    let crossed: Vec<u8> = (0..128).map(|byte| byte ^ 4).collect();
    assert_eq!(run("V6_vrdelta", &[bytes(&v), bytes(&[4; 128])]), [bytes(&crossed)]);
}

#[test]
fn tables_are_looked_up_where_the_index_matches() {
    // Table entry n is n: 64 halves with two bytes each.
    let table: Vec<u8> = (0..128).collect();
    let index: Vec<u8> = [0, 1, 31, 32].repeat(32);
    // Scalar 0: the group of indices 0..32, even bytes.
    let expected: Vec<u8> = [0, 2, 62, 0].repeat(32);
    assert_eq!(run("V6_vlutvvb", &[bytes(&index), bytes(&table), int(0)]), [bytes(&expected)]);
    // Scalar 3 on 128-byte vectors: odd bytes, but the group of indices 96..128.
    let index: Vec<u8> = [0, 97, 127, 32].repeat(32);
    let expected: Vec<u8> = [0, 67, 127, 0].repeat(32);
    assert_eq!(run("V6_vlutvvb", &[bytes(&index), bytes(&table), int(3)]), [bytes(&expected)]);
}

#[test]
fn wide_intermediates_keep_their_sign() {
    let (high, low) =
        (words(&[0, 0xffff_ffff, 1, 0x8000_0000].repeat(8)), words(&[5, 0xffff_fffe, 0, 0].repeat(8)));
    let expected = words(&[5, 0xffff_fffe, 0x7fff_ffff, 0x8000_0000].repeat(8));
    assert_eq!(run("V6_vsatdw", &[high, low]), [expected]);
    // (-32768 · -32768 · 2 + 2^15) saturates to 2^31 - 1, whose upper half is 0x7fff.
    let [a, b] = [halves(&[0x8000; 64]), int(0x8000_8000)];
    assert_eq!(run("V6_vmpyhsrs", &[a, b]), [halves(&[0x7fff; 64])]);
    assert_eq!(run("V6_vabsh", &[halves(&[0x8000; 64])]), [halves(&[0x8000; 64])]);
    assert_eq!(
        run("V6_vcl0w", &[words(&[0, 1, 0x8000_0000, 0xffff].repeat(8))]),
        [words(&[32, 31, 0, 16].repeat(8))]
    );
    assert_eq!(run("V6_vpopcounth", &[halves(&[0x8001; 64])]), [halves(&[2; 64])]);
}

#[test]
fn scalars_are_read_and_written() {
    let lanes: Vec<u32> = (100..132).collect();
    assert_eq!(run("V6_extractw", &[words(&lanes), int(128 + 4 * 7 + 3)]), [int(107)]);
    let mut inserted = lanes.clone();
    inserted[0] = 0xdead_beef;
    assert_eq!(run("V6_vinsertwr", &[words(&lanes), int(0xdead_beef)]), [words(&inserted)]);
}

#[test]
fn any_subset_of_the_documents_can_be_read() {
    let sample = Sample::read();
    for subset in 0..16u32 {
        let mut documents = sample.documents();
        let has = |bit: u32| subset & (1 << bit) != 0;
        documents.manual = documents.manual.filter(|_| has(0));
        documents.semantics = documents.semantics.filter(|_| has(1));
        documents.macros = documents.macros.filter(|_| has(2));
        documents.prototypes = documents.prototypes.filter(|_| has(3));
        let parsed = parse(&documents, &Options::default());
        assert_eq!(parsed.ledger.is_empty(), !(has(0) || has(1) || has(3)), "subset {subset:04b}");
        if has(0) {
            assert!(!parsed.instructions.is_empty(), "subset {subset:04b}");
        }
        if has(1) && !has(2) {
            let missing = |diagnostic: &&parsers::Diagnostic| {
                diagnostic.severity == Severity::Warning
                    && diagnostic.message.contains("macro definitions are missing")
            };
            assert!(parsed.diagnostics.iter().any(|diagnostic| missing(&diagnostic)));
        }
    }
}

fn instruction(id: &str) -> Instruction {
    let parsed = sample(&Options::default());
    parsed.instructions.into_iter().find(|instruction| instruction.id == id).expect(id)
}

#[test]
fn a_load_gives_what_is_at_its_address() {
    let load = instruction("V6_vL32b_ai");
    let [memory] = &load.signature.args[..] else { panic!("{:?}", load.signature) };
    assert_eq!(
        (memory.name.as_str(), &memory.kind),
        ("vmem", &Kind::Memory { align: 128, element: None, non_temporal: false })
    );
    assert!(load.accessed.is_none() && load.addresses.is_none(), "all bytes, always");
    let there = bytes(&(0..128).collect::<Vec<u8>>());
    assert_eq!(run("V6_vL32b_ai", std::slice::from_ref(&there)), std::slice::from_ref(&there));
    // Three vectors back from 0x1000.
    assert_eq!(run("V6_vL32Ub_pi", &[there.clone(), int(0x1000), int(5)]), [there, int(0xe80)]);
    assert_eq!(
        instruction("V6_vL32Ub_pi").signature.args[0].kind,
        Kind::Memory { align: 1, element: None, non_temporal: false }
    );
}

#[test]
fn what_is_cancelled_stays() {
    let (kept, there) = (bytes(&repeat(&[7], 128)), bytes(&repeat(&[1, 2], 128)));
    let args = |predicate: u128| [int(predicate), kept.clone(), there.clone(), int(0x1000), int(0xffff_ff00)];
    assert_eq!(run("V6_vL32b_npred_ppu", &args(0xfe)), [there.clone(), int(0xf00)]);
    assert_eq!(run("V6_vL32b_npred_ppu", &args(1)), [kept.clone(), int(0x1000)]);
    let load = instruction("V6_vL32b_npred_ppu");
    let accessed = load.accessed.expect("not always");
    let accesses = |predicate: u128| crate::hexagon_support::evaluate(&accessed, &args(predicate));
    assert_eq!((accesses(0), accesses(3)), (vec![int(u128::MAX)], vec![int(0)]));
    assert_eq!(run("V6_vcmov", &[int(1), kept.clone(), there.clone()]), std::slice::from_ref(&there));
    assert_eq!(run("V6_vcmov", &[int(2), kept.clone(), there]), [kept]);
}

#[test]
fn a_masked_store_accesses_the_bytes_that_it_writes() {
    let store = instruction("V6_vS32b_nqpred_ai");
    assert_eq!(store.intrinsic, "Q6_vmem_QnRIV");
    let named = |list: &[parsers::Argument]| -> Vec<String> {
        list.iter().map(|argument| format!("{} {}", argument.c_type, argument.name)).collect()
    };
    assert_eq!(named(&store.signature.args), ["HVX_VectorPred Qv", "HVX_Vector* vmem", "HVX_Vector Vs"]);
    assert_eq!(named(&store.signature.results), ["HVX_Vector* vmem"]);
    let every_fourth = int(0x1111_1111_1111_1111_1111_1111_1111_1111);
    let args = [every_fourth, bytes(&repeat(&[9], 128)), bytes(&repeat(&[1, 2, 3, 4], 128))];
    assert_eq!(run("V6_vS32b_nqpred_ai", &args), [bytes(&repeat(&[9, 2, 3, 4], 128))]);
    let accessed = crate::hexagon_support::evaluate(&store.accessed.expect("not always"), &args);
    assert_eq!(accessed, [int(0xeeee_eeee_eeee_eeee_eeee_eeee_eeee_eeee)]);
    assert_eq!(run("V6_vS32b_new_ai", &args[1..]), [args[2].clone()]);
}

#[test]
fn elements_are_gathered_within_the_region() {
    let gather = instruction("V6_vgathermw");
    let args = &gather.signature.args;
    let kinds: Vec<(&str, &Kind)> =
        args.iter().map(|argument| (argument.name.as_str(), &argument.kind)).collect();
    let elements = Elements { width: 32, index: Some(32) };
    let (aligned, elements) = (
        Kind::Memory { align: 128, element: None, non_temporal: false },
        Kind::Memory { align: 4, element: Some(elements), non_temporal: false },
    );
    assert_eq!(kinds, [("vtmp", &aligned), ("Rt", &elements), ("Mu", &Kind::Scalar), ("Vv", &Kind::Vector)]);
    // A region of 64 bytes, whose last byte is the third of an element, and an element beyond.
    let offsets = words(&[8, 61, 64, 0].repeat(8));
    let (old, there) = (words(&[0xdddd_dddd; 32]), words(&[0x0403_0201; 32]));
    let arguments = [old, there, int(62), offsets];
    let gathered = words(&[0x0403_0201, 0xdd03_0201, 0xdddd_dddd, 0x0403_0201].repeat(8));
    assert_eq!(run("V6_vgathermw", &arguments), [gathered]);
    let evaluate = |function: &Option<Function>| {
        crate::hexagon_support::evaluate(function.as_ref().expect("not always"), &arguments)
    };
    let mask = int(0xf07f_f07f_f07f_f07f_f07f_f07f_f07f_f07f);
    assert_eq!(evaluate(&gather.accessed), [mask.clone(), mask]);
    let [addresses] = &evaluate(&gather.addresses)[..] else { panic!("one region") };
    let low: Vec<Int> = (0..4).map(|at| (addresses >> (64 * at)) & Int::from(u64::MAX)).collect();
    assert_eq!(low, [int(8), int(61), int(64), int(0)]);
}

#[test]
fn elements_are_scattered_where_the_predicate_is_set() {
    let scatter = instruction("V6_vscattermhq");
    let offsets = halves(&(0..64).map(|lane| 4 * lane).collect::<Vec<u16>>());
    let (old, new) = (halves(&[0xaaaa; 64]), halves(&[0x2211; 64]));
    let even_bytes = int(0x5555_5555_5555_5555_5555_5555_5555_5555);
    let args = [even_bytes, old, int(127), offsets, new];
    let expected: Vec<u16> = (0..64).map(|lane| if lane < 32 { 0xaa11 } else { 0xaaaa }).collect();
    assert_eq!(run("V6_vscattermhq", &args), [halves(&expected)]);
    let accessed = crate::hexagon_support::evaluate(&scatter.accessed.expect("not always"), &args);
    assert_eq!(accessed, [int(0x5555_5555_5555_5555)]);
    assert!(scatter.addresses.is_some());
}
