//! What the fuzz target `llvm_assembly` does with its bytes: what is read of a text is what it says.

use refine::Module;

/// Text is kept as it is; a function that is modelled prints as one that is read again to the same text.
pub fn check(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let Ok(module) = Module::parse(text) else {
        assert!(Module::definitions(text).is_err(), "only one reader finds the definitions");
        return;
    };
    assert_eq!(module.to_string(), text);
    let definitions = Module::definitions(text).expect("the same definitions");
    let spans = |module: &Module| module.functions.iter().map(|own| own.span.clone()).collect::<Vec<_>>();
    assert_eq!(spans(&definitions), spans(&module));
    for function in &module.functions {
        if let Ok(outline) = module.outline(function) {
            let lines = outline.sections.iter().flat_map(|section| &section.lines);
            assert!(lines.into_iter().all(|line| text.get(line.span.clone()).is_some()));
        }
        let Ok(body) = &function.body else { continue };
        let printed = body.text(&function.name);
        let again = Module::parse(&printed).expect("what is printed has an end");
        let [own] = &again.functions[..] else { panic!("one function becomes {}", again.functions.len()) };
        let body = own.body.as_ref().unwrap_or_else(|fault| panic!("{fault}\n{printed}"));
        assert_eq!(body.text(&own.name), printed);
    }
}
