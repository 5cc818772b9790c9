//! How long something takes, in a processor's time where that is known: other programs on the machine do not count.

use std::time::Instant;

/// A point in a thread's time.
pub struct Clock {
    processor: Option<f64>,
    wall: Instant,
}

impl Clock {
    /// Now.
    pub fn start() -> Self {
        Self { processor: processor(), wall: Instant::now() }
    }

    /// The seconds since then that this thread ran.
    pub fn seconds(&self) -> f64 {
        match (self.processor, processor()) {
            (Some(start), Some(end)) => end - start,
            _ => self.wall.elapsed().as_secs_f64(),
        }
    }
}

#[cfg(target_os = "linux")]
fn processor() -> Option<f64> {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ThreadCPUTime);
    Some(time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9)
}

#[cfg(not(target_os = "linux"))]
fn processor() -> Option<f64> {
    None
}

#[cfg(test)]
mod tests {
    use super::Clock;

    #[test]
    fn time_does_not_go_back() {
        let clock = Clock::start();
        let first = clock.seconds();
        assert!(first >= 0.0 && clock.seconds() >= first);
    }
}
