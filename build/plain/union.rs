//! Unions: any JSON, of which the variants are known.

use serde_json::{Map, Value, json};

use super::{Plainly, schema::kept};
use crate::{
    effective::effective,
    names::Named,
    refusal::Refusal,
    schemas::{Union, Variant},
    variants::{described, tags, variants},
};

impl Plainly<'_> {
    pub(super) fn union(
        &mut self,
        whole: &Map<String, Value>,
        called: &str,
    ) -> Result<Value, Refusal> {
        let mut plain = kept(whole, &["description"]);
        let known = self.known_unions.iter().find(|(known, _)| known == whole);
        let name = if let Some((_, name)) = known {
            name.clone()
        } else {
            // A union may contain itself.
            let name = self.union_names.give(Named::Field, called);
            self.known_unions.push((whole.clone(), name.clone()));
            let union = self.variants(whole, called)?;
            self.unions.insert(name.clone(), union);
            name
        };
        plain.insert("x-union".into(), name.into());
        Ok(plain.into())
    }

    fn variants(&mut self, whole: &Map<String, Value>, called: &str) -> Result<Union, Refusal> {
        let discriminator = whole.get("discriminator");
        let tag = discriminator.and_then(|told| told.get("propertyName")?.as_str());
        let mut found = Vec::new();
        let variants = variants(self.document, whole);
        for (at, (said, variant)) in described(whole).iter().zip(&variants).enumerate() {
            // The audit has refused those of requests that contradict what stands beside them.
            if effective(self.document, variant).is_err() {
                continue;
            }
            let tags = tags(self.document, whole, said);
            let plain = self.schema(variant, &format!("{called}{}", at + 1))?;
            let schema = serde_json::from_value(json!(plain)).map_err(|e| e.to_string())?;
            found.push(Variant { tags, schema });
        }
        Ok(Union { tag: tag.map(str::to_owned), variants: found })
    }
}
