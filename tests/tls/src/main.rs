//! Writes certificates to a directory: `authority.pem`, and three certificates with their keys. The
//! authority signs `server` and `client`; `self-signed` signs itself.

use std::{env, error::Error, fs, path::PathBuf};

use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, DnType, IsCa, KeyPair};

fn main() -> Result<(), Box<dyn Error>> {
    let directory = PathBuf::from(env::args_os().nth(1).ok_or("no directory named")?);
    fs::create_dir_all(&directory)?;
    let write = |name: &str, text: String| fs::write(directory.join(name), text);

    let mut parameters = CertificateParams::default();
    // OpenSSL treats a certificate whose subject has the same name as its issuer as self-signed.
    parameters.distinguished_name.push(DnType::CommonName, "a private authority");
    parameters.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(parameters, KeyPair::generate()?)?;
    write("authority.pem", authority.pem())?;
    for (name, subject) in
        [("server", "localhost"), ("client", "backoffice"), ("self-signed", "backoffice")]
    {
        let key = KeyPair::generate()?;
        let parameters = CertificateParams::new([subject.to_owned()])?;
        let certificate = match name {
            "self-signed" => parameters.self_signed(&key)?,
            _ => parameters.signed_by(&key, &authority)?,
        };
        write(&format!("{name}.pem"), certificate.pem())?;
        write(&format!("{name}.key"), key.serialize_pem())?;
    }
    Ok(())
}
