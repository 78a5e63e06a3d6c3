//! Compresses a document. The service runs inside this program. Run `cargo run --example compress` in the folder that
//! contains report.pdf.

use recto::{Call, Client, OptimizeOptions, Profile};
use recto_service::LocalService;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let service = LocalService::start()?;
    let client = Client::builder().base_url(service.base_url()).api_key(service.api_key().clone()).build()?;

    let options = OptimizeOptions { profile: Some(Profile::Web) };
    client.start("report.pdf", options, &Call::new())?.save("small.pdf", &Call::new())?;
    Ok(())
}
